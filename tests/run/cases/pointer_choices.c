/* Pointers that differ between lanes: chosen by a condition, walked by inner loops. The loops are answered for. */
// brushes: 8 3
// size n: 0..37
void chosen(int n, const double A[restrict n], const double B[restrict n], const double C[restrict n], double r[restrict n])
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        const double *p = A[i] > 0 ? B : C, *first = B;
        if (A[i] > 1)
            first = C;
        r[i] = p[i] + first[0];
    }
}

void walked(int n, const int A[restrict n], const double B[restrict n], double r[restrict n])
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        const double *p = B + i;
        for (int k = A[i] & 7; k > 0 && p > B; k--)
            p--;
        r[i] = *p * (p - B);
    }
}

struct pair { double x, y; };
void members(int n, const int A[restrict n], const struct pair B[restrict n], double r[restrict n])
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        const struct pair *p = A[i] & 1 ? &B[i] : B;
        const double *x = A[i] & 2 ? &p->x : &p->y;
        r[i] = *x - p->y;
    }
}
