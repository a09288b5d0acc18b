/* Nests in and around OpenMP's constructs: right with -fopenmp and without. */
#include <stdio.h>

#define N 120
static double a[N][N], b[N][N];
static int found[N];

int main(void)
{
    int i, j, k, hits = 0, last = -1;
    double sum = 0, t;
#pragma omp parallel for private(j, t)
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            t = i * 0.5;
            a[i][j] = t + j;
        }
#pragma omp parallel default(shared) private(k)
    {
        int mine = 0;
#pragma omp for
        for (i = 0; i < N; i++) {
            for (k = 0; k < N; k++)
                b[i][k] = a[k][i] * 2;
            for (k = 0; k < N; k++)
                if (b[i][k] == 77)
                    mine++;
        }
#pragma omp critical
        {
            for (k = 0; k < 3; k++)
                found[k] += 1;
            hits += mine;
        }
#pragma omp barrier
#pragma omp single
        for (k = 0; k < N; k++)
            a[0][k] = found[0] > 0;
#pragma omp for nowait schedule(static)
        for (i = 0; i < N; i++) {
            for (int x = 0; x < N; x++)
                if (a[i][x] == 60.5 && i == 41)
                    last = x;
        }
    }
#pragma omp simd
    for (i = 0; i < N; i++)
        b[3][i] = b[3][i] + 1;
#pragma GCC ivdep
    for (i = 0; i < N; i++)
        b[4][i] = b[4][i] + b[3][i];
#pragma omp parallel for reduction(+ : sum) private(j) lastprivate(t)
    for (i = 0; i < N; i++) {
        for (j = 0; j < 8; j++)
            b[i][j] -= 1;
        t = i;
    }
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            sum += b[i][j] * (i - j);
    printf("%g %d %d %g\n", sum, hits, last, t);
    return 0;
}
