/* Every way in which a variable comes into a nest and out of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double table[20][30];
static int count = 3;
double shared[64];
extern int from_elsewhere;
int from_elsewhere = 5;
static _Thread_local int own[16];
static const double weights[3] = {0.25, 0.5, 0.25};
enum { SIZE = 24 };
typedef double vector3[3];
typedef struct { double x, y; int n; } point;
struct mesh { int n, m; double *values; point corner; };

static void keep(int *where) { *where += 1; }

static int counters(int n)
{
    int i, j, last = -1;
    double x = 0.5;
    for (i = 0; i < n; i++) {
        shared[i] = i * x;
        last = i;
    }
    for (j = 0; j < n; ++j)
        shared[j] += i;
    while (x < 10)
        x *= 2;
    for (i = n; i-- > 0;)
        shared[i] -= x;
    return i * 100 + j * 10 + last;
}

static double escaped(int n)
{
    int bound = n, *through = &bound;
    double a[SIZE], sum = 0;
    int hits = 0, *hit = &hits;
    for (int i = 0; i < bound; i++) {
        a[i] = i;
        if (i == 3)
            *through = 9;
    }
    keep(&bound);
    for (int i = 0; i < bound; i++)
        a[i] += bound;
    for (int i = 0; i < bound - 1; i++) {
        *hit += 1;
        a[i] += hits;
    }
    for (int i = 0; i < bound - 1; i++)
        sum += a[i];
    return sum + bound + hits;
}

static double lengths(int n, int m, double a[n][m], double (*b)[m])
{
    double local[n][m], result = 0;
    int k = m;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            local[i][j] = a[i][j] + j;
            b[i][j] = local[i][j] * 2;
        }
    m = 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            local[i][j] += b[i][j] * m;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            result += local[i][j] * (i + 2 * j);
    return result;
}

static double hidden(int n)
{
    double shared[8];               /* hides the one outside, which `outer` uses */
    static double kept[8];
    static const int twice = 2;
    double total = 0;
    for (int i = 0; i < 8; i++) {
        shared[i] = i * twice + n;
        kept[i] += shared[i];
    }
    for (int i = 0; i < 8; i++)
        total += kept[i] * shared[i];
    return total;
}

static double outer_sum(int i) { return shared[i] + table[i][i]; }

static double mixed(int n)
{
    double shared[8], total = 0;
    for (int i = 0; i < n; i++)
        shared[i] = outer_sum(i);
    for (int i = 0; i < n; i++)
        total += shared[i];
    return total;
}

static double structs(struct mesh m, struct mesh *p, int n)
{
    point here = {1, 2, 3}, all[10];
    vector3 v = {1, 2, 3};
    for (int i = 0; i < p->n; i++)
        p->values[i] = i * here.x + m.corner.y + v[i % 3];
    for (int i = 0; i < n; i++) {
        all[i].x = i;
        all[i].y = p->values[i];
        all[i].n = i & 3;
        here.n += i;
    }
    for (int i = 0; i < n; i++)
        here.x += all[i].x * all[i].y + all[i].n;
    return here.x + here.n;
}

static int narrow(const unsigned char *s, int n, signed char c, short h, _Bool flag, float f)
{
    unsigned long long bits = 0;
    unsigned char top = 0;
    for (int i = 0; i < n; i++) {
        bits += (unsigned long long)s[i] << (i & 31);
        top = s[i] > top ? s[i] : top;
        if (flag && s[i] == (unsigned char)c)
            h++;
        f += 0.5f;
    }
    return (int)(bits % 1000003) + top + h + (int)f;
}

static double pointers(const double *from, double *to, int n)
{
    const double *end = from + n;
    double *start = to;
    while (from < end)
        *to++ = *from++ * 2;
    for (int i = 0; i < n; i++)
        start[i] += weights[i % 3];
    return to - start + start[n - 1];
}

static double overlapping(double *restrict a, int n)
{
    double *b = a + 1;
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1;
    return a[n];
}

static double other_sizes(int n, int m, double (*a)[m])
{
    double sum = 0, local[n];
    unsigned long bytes = 0;
    for (int k = 0; k < 2; k++) {
        int m = k + 1;              /* hides the one in the type of a */
        printf("%d ", m);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < 5; j++)
                a[i][j] += i;
        sum += m;
    }
    for (int i = 0; i < n; i++) {
        local[i] = i;
        bytes += sizeof local + sizeof local[0];
    }
    for (int i = 0; i < n; i++)
        sum += a[i][i] * local[i];
    return sum + bytes;
}

static int last_values(int n)
{
    int x = 7, y = -1, rounds = 0, found = 0;
    for (int t = 0; t < 3; t++) {
        if (t > 0)
            rounds += x;
        for (int i = 0; i < n; i++)
            x = (int)shared[i] + t;
        y = x;
    }
again:
    found += y;
    for (int i = 0; i < n; i++)
        y = i * 2;
    if (++rounds < 300)
        goto again;
    for (int i = 0; i < 0; i++)
        y = 5;
    return found + y + rounds;
}

int main(void)
{
    double a[5][7], b[5][7], flat[40];
    unsigned char text[100];
    struct mesh m = {20, 1, flat, {3, 4, 5}};
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 30; j++)
            table[i][j] = i * 3 - j * count;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 7; j++)
            a[i][j] = i - j * 0.5;
    for (int i = 0; i < 16; i++)
        own[i] = i * from_elsewhere;
    for (int i = 0; i < 100; i++)
        text[i] = (unsigned char)(i * 37 + own[i % 16]);
    for (int i = 0; i < 40; i++)
        flat[i] = i;
    printf("%d\n", counters(30));
    printf("%g\n", escaped(14));
    printf("%g\n", lengths(5, 7, a, b));
    printf("%g %g\n", hidden(1), hidden(2));
    printf("%g\n", mixed(8));
    printf("%g\n", structs(m, &m, 10));
    printf("%d\n", narrow(text, 100, text[3], 7, 1, 0.25f));
    printf("%g\n", pointers(flat, flat + 20, 20));
    printf("%g\n", overlapping(flat, 20));
    printf("%g\n", other_sizes(5, 7, a));
    printf("%d\n", last_values(20));
    return 0;
}
