/* Short-circuit loops: what stands behind && and || is evaluated in every iteration. */
#include <stdbool.h>
// brushes: 8 16 3 4x8
// size n: 0..60
// size m: 0..20
// values a: -40..40
// values b: -3..9
// values x: -40..40
static int x_of(int v) { return v * 3 - 30; }
int any_by_or(int n, const int a[restrict n], int x)
{
    int any = 0;
    for (int i = 0; i < n; i++)
        any = any || a[i] > x + 30;
    return any;
}
int all_by_and(int n, const int a[restrict n], int x)
{
    int all = 1;
    for (int i = 0; i < n; i++)
        all = all && a[i] > x - 60;
    return all;
}
bool truths(int n, const short a[restrict n], const int b[restrict n])
{
    bool any = false, none = true;
    for (int i = n - 1; i >= 0; i--) {
        any = any || a[i] == 7 || b[i] == 9;
        none = none && a[i] != -33 && b[i] * 3 != 24;
    }
    return any != none;
}
int of_some(int n, const int a[restrict n], const int b[restrict n])
{
    int any = 0, all = 1;
    for (int i = 0; i < n; i++)
        if (b[i] > 5) {
            any = a[i] < -36 || any;
            if (all)
                all = a[i] > -39;
        }
    return any * 2 + all;
}
int first_place(int n, const int a[restrict n], int x)
{
    int first = -1;
    for (int i = 0; i < n; i++)
        if (first < 0 && a[i] == x)
            first = i;
    return first;
}
long first_of_two(long n, const int a[restrict 2 * n], const int b[restrict n])
{
    long first = -1;
    for (long i = 0; i < n; i++)
        if (first == -1)
            if (a[2 * i + 1] + b[i] > 40)
                first = i;
    return first;
}
double first_value(int n, const int b[restrict n], const double d[restrict n])
{
    int found = 0;
    double value = -1;
    for (int i = 0; i < n; i++)
        if (!found && b[i] == 3 && d[i] > 0.25) {
            found = 1;
            value = d[i];
        }
    return value + found;
}
int counted_beside(int n, const int a[restrict n], const int b[restrict n])
{
    int any = 0, count = 0;
    for (int i = 0; i < n; i++) {
        if (!any)
            any = b[i] * a[i] > 300;
        if (a[i] > 0)
            count++;
    }
    return any * 1000 + count;
}
int narrow_truths(int n, const int a[restrict n], const int b[restrict n])
{
    bool any = false, all = true, odd = false;
    for (int i = 0; i < n; i++) {
        any |= a[i] == x_of(b[i]);
        all &= a[i] > -40;
        if (b[i] > 0)
            odd ^= a[i] > 3;
    }
    return any * 4 + all * 2 + odd;
}
void in_rows(int n, int m, const int grid[restrict n][m], int x, int any[restrict n], int first[restrict n])
{
    for (int j = 0; j < n; j++) {
        int found = 0, place = -1;
        for (int i = 0; i < m; i++) {
            found = found || grid[j][i] > 95;
            if (place < 0 && grid[j][i] == x)
                place = i;
        }
        any[j] = found;
        first[j] = place;
    }
}
