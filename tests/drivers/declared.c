// Functions that are declared simd.
#include <math.h>

#pragma omp declare simd notinbranch
double polynomial(double x, double y) { return (x * y + 1.5) * x - y / (x * x + 1); }

#pragma omp declare simd
double guarded(double x, double y)
{
    double s = 0;
    if (x < 0)
        return -x;
    for (int k = 0; k < 20; k++) {
        s += x * y;
        if (s > 3)
            return s + k;
    }
    return sqrt(s * s);
}

#pragma omp declare simd uniform(table) linear(i) notinbranch
float window(const float *table, int i, float scale)
{
    float s = 0;
    for (int k = 0; k < 4; k++)
        s += table[i + k] * scale;
    return s;
}

#pragma omp declare simd inbranch
int steps(int x)
{
    int n = 0;
    unsigned u = x & 1023;
    while (u > 1) {
        u = u % 2 ? 3 * u + 1 : u / 2;
        n++;
    }
    return n;
}

#pragma omp declare simd simdlen(16)
double many(double x, int k) { return k % 2 ? x + k : x * k; }

#pragma omp declare simd simdlen(8)
double wide(double x, double y) { return x > y ? x - y : x / (y + 3); }

#pragma omp declare simd notinbranch
double mixed(double x, signed char c) { return x * c; }

#pragma omp declare simd
signed char bytes(signed char c, signed char d) { return c > d ? c - d : c + 3 * d; }

#pragma omp declare simd uniform(s) linear(i:s) notinbranch
float strided(float x, int i, int s) { return x * i + s; }

#pragma omp declare simd linear(p) linear(q:2) uniform(k) aligned(p:8) notinbranch
void through(double *p, const double *q, long k)
{
    if (*q > 0)
        *p = *q * k + q[1];
}

#pragma omp declare simd linear(i:3) linear(j:-2) notinbranch
long corners(int i, int j, long x) { return x * i - j; }

#pragma omp declare simd
unsigned short saturated(unsigned short a, unsigned short b) { return a + b > 65535 ? 65535 : a + b; }

#pragma omp declare simd linear(u:5) notinbranch
unsigned wraps(unsigned u, unsigned x) { return u / 3 + x; }

#pragma omp declare simd uniform(t)
double gathered(const double *t, int k) { return k < 0 ? 0 : t[k % 50]; }
