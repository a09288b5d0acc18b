/* Independent iterations, each of which reaches one element by two pointers: it reads what it has stored. */
// brushes: 8 3 4x8
// size n: 0..40
// length a: n
// alias b: a + 0
// length c: n
void again(int n, double *a, double *b, double *c)
{
#pragma omp simd
    for (int i = 0; i < n; ++i) {
        double t = b[i];
        a[i] = t + 1;
        c[i] = b[i] * 2;
    }
}

void back(int n, float *a, float *b, float *c)
{
#pragma omp simd
    for (int i = 0; i < n; ++i) {
        a[i] = c[i] * 3;
        b[i] = a[i] - 1;
        a[i] = b[i] * b[i];
        c[i] = a[i];
    }
}

void guarded(int n, int *a, int *b, int *c)
{
#pragma omp simd
    for (int i = 0; i < n; ++i) {
        int before = b[i];
        if (c[i] > 0)
            a[i] = before ^ 5;
        c[i] = b[i];
    }
}

void unsigned_bounds(unsigned n, double *a, double *b, double *c)
{
#pragma omp simd
    for (unsigned i = 0; i < n; ++i) {
        double t = b[i];
        a[i] = t + 1;
        c[i] = b[i] * 2;
    }
}
