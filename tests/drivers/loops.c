// Loops that call functions which are declared simd and defined elsewhere.
#pragma omp declare simd notinbranch
double polynomial(double x, double y);
#pragma omp declare simd
double guarded(double x, double y);
#pragma omp declare simd uniform(table) linear(i) notinbranch
float window(const float *table, int i, float scale);
#pragma omp declare simd inbranch
int steps(int x);
#pragma omp declare simd simdlen(16)
double many(double x, int k);
#pragma omp declare simd simdlen(8)
double wide(double x, double y);
#pragma omp declare simd notinbranch
double mixed(double x, signed char c);
#pragma omp declare simd
signed char bytes(signed char c, signed char d);
#pragma omp declare simd uniform(s) linear(i:s) notinbranch
float strided(float x, int i, int s);
#pragma omp declare simd linear(p) linear(q:2) uniform(k) aligned(p:8) notinbranch
void through(double *p, const double *q, long k);
#pragma omp declare simd linear(i:3) linear(j:-2) notinbranch
long corners(int i, int j, long x);
#pragma omp declare simd
unsigned short saturated(unsigned short a, unsigned short b);
#pragma omp declare simd linear(u:5) notinbranch
unsigned wraps(unsigned u, unsigned x);
#pragma omp declare simd uniform(t)
double gathered(const double *t, int k);

void loop_polynomial(int n, double *restrict out, const double *x, const double *y)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        out[i] = polynomial(x[i], y[i]);
}

void loop_guarded(int n, double *restrict out, const double *x, const double *y)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        out[i] = guarded(x[i], y[i]);
}

void loop_masked(int n, double *restrict out, const double *x, const double *y)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        if (y[i] > 0)
            out[i] = guarded(x[i], y[i]);
}

void loop_window(int n, float *restrict out, const float *table, const float *scale)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        out[i] = window(table, i, scale[i]);
}

void loop_steps(int n, int *restrict out, const int *x)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        if (x[i] > 3)
            out[i] = steps(x[i]);
}

void loop_many(int n, double *restrict out, const double *x, const int *k)
{
#pragma omp simd simdlen(16)
    for (int i = 0; i < n; i++)
        out[i] = many(x[i], k[i]);
}

void loop_many_masked(int n, double *restrict out, const double *x, const int *k)
{
#pragma omp simd simdlen(16)
    for (int i = 0; i < n; i++)
        if (x[i] < 1)
            out[i] = many(x[i], k[i]);
}

void loop_wide(int n, double *restrict out, const double *x, const double *y)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        out[i] = wide(x[i], y[i]);
}

void loop_mixed(int n, double *restrict out, const double *x, const signed char *c)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        out[i] = mixed(x[i], c[i]);
}

void loop_bytes(int n, signed char *restrict out, const signed char *c, const signed char *d)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        out[i] = bytes(c[i], d[i]);
}

void loop_bytes_masked(int n, signed char *restrict out, const signed char *c, const signed char *d)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        if (c[i] < d[i])
            out[i] = bytes(c[i], d[i]);
}

void loop_strided(int n, float *restrict out, const float *x, int s)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        out[i] = strided(x[i], i * s, s);
}

void loop_through(int n, double *restrict out, const double *x, long k)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        through(out + i, x + 2 * i, k);
}

void loop_corners(int n, long *restrict out, const long *x)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        out[i] = corners(3 * i, 7 - 2 * i, x[i]);
}

void loop_saturated(int n, unsigned short *restrict out, const unsigned short *a, const unsigned short *b)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        out[i] = saturated(a[i], b[i]);
}

void loop_wraps(int n, unsigned *restrict out, const unsigned *x)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        out[i] = wraps(4294967200u + 5u * i, x[i]);
}

void loop_gathered(int n, double *restrict out, const double *t, const int *k)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        out[i] = gathered(t, k[i]);
}
