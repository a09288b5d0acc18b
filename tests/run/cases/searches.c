/* Loops that end where they find something: the first place, any, all, several breaks, and what they leave behind. */
#include <stddef.h>
// brushes: 8 16 3
// size n: 0..200
// values a: -40..40
// values b: -3..90
// values x: -40..40
// values big: 0..500
int first_place(int n, const int a[restrict n], int x)
{
    int r = -1;
    for (int i = 0; i < n; i++)
        if (a[i] == x) {
            r = i;
            break;
        }
    return r;
}
int any(int n, const short a[restrict n], int x)
{
    for (int i = 0; i < n; i++)
        if (a[i] > x + 30)
            return 1;
    return 0;
}
int all_differ(int n, const int b[restrict n], const int big[restrict n])
{
    for (int i = 0; i < n; ++i)
        if (b[i] == big[i])
            return 0;
    return 1;
}
int two_ways(int n, const int big[restrict n], const int b[restrict n], int x)
{
    int i, r = 0;
    for (i = 0; i < n; i++) {
        if (big[i] == 7)
            break;
        if (b[i] > 87) {
            r = b[i] - x;
            break;
        }
    }
    return i * 100 + r;
}
long last_place(long n, const double d[restrict n])
{
    long i = n - 1;
    for (; i >= 0; i--)
        if (d[i] > 0.999)
            break;
    return i;
}
unsigned with_sizes(size_t n, const unsigned char c[restrict 2 * n], unsigned char x)
{
    size_t i = 0;
    while (i < n && c[2 * i + 1] != x)
        i++;
    return i;
}
int in_pairs(int n, const int big[restrict n], int x)
{
    int found = -1;
    for (int i = 1; i < n; i += 2)
        if (big[i] + big[i - 1] == x) {
            found = i;
            break;
        }
    return found;
}
int both_conditions(int n, const int big[restrict n], const int b[restrict n])
{
    for (int i = 0; i < n; i++)
        if (big[i] > 250 && b[i] == 3)
            return i;
    return -7;
}
int of_a_row(int n, const int big[restrict n][n], int x)
{
    int r = n;
    if (n > 2)
        for (int i = 0; i < n; i++)
            if (big[2][i] == x) {
                r = i;
                break;
            }
    return r;
}
int from_a_place(int n, int x, const int big[restrict n])
{
    int r = -1;
    for (int i = x > 0 ? x : 0; i < n; i++)
        if (big[i] % 61 == 0) {
            r = i;
            break;
        }
    return r;
}
