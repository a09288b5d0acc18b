/* Quotients of unsigned numbers as bounds and subscripts. */
#include <stddef.h>
// brushes: 8 5
// size n: 0..40
// length a: n
// length b: n
void fold_in_half(unsigned n, float *restrict a)
{
    for (unsigned i = 0; i < n / 2; i++)
        a[i] = a[i] + a[i + n / 2];
}

void upper_thirds(size_t n, double *restrict a)
{
    for (size_t i = 0; i < n / 3; i++)
        a[i + n / 3] = 2 * a[i];
}

void pairs(unsigned n, const int *restrict a, int *restrict b)
{
    for (unsigned i = 0; i < n >> 1; i++)
        b[i] = a[2 * i] - a[2 * i + 1];
}
