/* Runs the loops on the same data every time and prints a checksum of what each leaves. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N 1003
static uint64_t state = 88172645463325252u;
static uint64_t next(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }
static double x[2 * N + 64], y[2 * N + 64];
static float f[N + 64], g[N + 64];
static int k[N];
static long l[N];
static signed char c[N], d[N];
static unsigned short a[N], b[N];
static union { double x[N]; float f[N]; int k[N]; long l[N]; signed char c[N]; unsigned short s[N]; unsigned char bytes[8 * N]; } out;

static void show(const char *name)
{
    uint64_t sum = 14695981039346656037u;
    for (int i = 0; i < 8 * N; i++)
        sum = (sum ^ out.bytes[i]) * 1099511628211u;
    printf("%s %016llx\n", name, (unsigned long long)sum);
    memset(&out, 7, sizeof out);
}

#define LOOP(name, type, second, third)                                                                               \
    {                                                                                                                         \
        extern void loop_##name(int, void *, const void *, type);                                                             \
        for (int n = N - 20; n <= N; n++)                                                                                     \
            loop_##name(n, &out, second, third);                                                                              \
        show(#name);                                                                                                          \
    }

int main(void)
{
    for (int i = 0; i < 2 * N + 64; i++) {
        x[i] = (int16_t)next() / 8192.0;
        y[i] = (int16_t)next() / 8192.0;
    }
    for (int i = 0; i < N; i++) {
        f[i] = (int16_t)next() / 8192.0f;
        g[i] = (int16_t)next() / 8192.0f;
        k[i] = (int16_t)next();
        l[i] = (int16_t)next();
        c[i] = next();
        d[i] = next();
        a[i] = next();
        b[i] = next();
    }
    LOOP(polynomial, const void *, x, y)
    LOOP(guarded, const void *, x, y)
    LOOP(masked, const void *, x, y)
    LOOP(window, const void *, f, g)
    extern void loop_steps(int, int *, const int *);
    loop_steps(N, out.k, k);
    show("steps");
    LOOP(many, const void *, x, k)
    LOOP(many_masked, const void *, x, k)
    LOOP(wide, const void *, x, y)
    LOOP(mixed, const void *, x, c)
    LOOP(bytes, const void *, c, d)
    LOOP(bytes_masked, const void *, c, d)
    LOOP(strided, int, f, 3)
    LOOP(through, long, x, 5)
    extern void loop_corners(int, long *, const long *);
    loop_corners(N, out.l, l);
    show("corners");
    LOOP(saturated, const void *, a, b)
    extern void loop_wraps(int, unsigned *, const unsigned *);
    loop_wraps(N, (unsigned *)out.k, (const unsigned *)k);
    show("wraps");
    LOOP(gathered, const void *, y, k)
    puts("done");
    return 0;
}
