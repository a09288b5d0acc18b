/* The forms of the Parallel Research Kernels: sizes from the command line, one allocated array for each grid, a solution that is known. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <math.h>
#include <assert.h>
#define RADIUS 2
#define WEIGHT(i, j) weight[(i) + RADIUS][(j) + RADIUS]

static double *RESTRICT_make(size_t bytes)
{
    double *p = malloc(bytes);
    if (p == NULL) {
        printf("ERROR: out of memory\n");
        abort();
    }
    return p;
}

static int stencil(int iterations, int n)
{
    double weight[2 * RADIUS + 1][2 * RADIUS + 1];
    double *restrict in = RESTRICT_make(sizeof(double) * n * n);
    double *restrict out = RESTRICT_make(sizeof(double) * n * n);
    for (int jj = -RADIUS; jj <= RADIUS; jj++)
        for (int ii = -RADIUS; ii <= RADIUS; ii++)
            WEIGHT(ii, jj) = 0.0;
    for (int ii = 1; ii <= RADIUS; ii++) {
        WEIGHT(0, ii) = WEIGHT(ii, 0) = 1.0 / (2.0 * ii * RADIUS);
        WEIGHT(0, -ii) = WEIGHT(-ii, 0) = -1.0 / (2.0 * ii * RADIUS);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            in[i * n + j] = (double)(i + j);
            out[i * n + j] = 0.0;
        }
    for (int iter = 0; iter <= iterations; iter++) {
        for (int i = RADIUS; i < n - RADIUS; i++)
            for (int j = RADIUS; j < n - RADIUS; j++) {
                for (int jj = -RADIUS; jj <= RADIUS; jj++)
                    out[i * n + j] += WEIGHT(0, jj) * in[i * n + j + jj];
                for (int ii = -RADIUS; ii < 0; ii++)
                    out[i * n + j] += WEIGHT(ii, 0) * in[(i + ii) * n + j];
                for (int ii = 1; ii <= RADIUS; ii++)
                    out[i * n + j] += WEIGHT(ii, 0) * in[(i + ii) * n + j];
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                in[i * n + j] += 1.0;
    }
    double norm = 0.0;
    for (int i = RADIUS; i < n - RADIUS; i++)
        for (int j = RADIUS; j < n - RADIUS; j++)
            norm += fabs(out[i * n + j]);
    norm /= (double)(n - 2 * RADIUS) * (n - 2 * RADIUS);
    double reference = 2.0 * (iterations + 1);
    free(in);
    free(out);
    printf("stencil norm %.14f\n", norm);
    return fabs(norm - reference) > 1e-8;
}

static int transpose(int iterations, int order, int tile)
{
    double *restrict A = RESTRICT_make(sizeof(double) * order * order);
    double *restrict B = RESTRICT_make(sizeof(double) * order * order);
    for (int i = 0; i < order; i++)
        for (int j = 0; j < order; j++) {
            A[i * order + j] = (double)(i * order + j);
            B[i * order + j] = 0.0;
        }
    for (int iter = 0; iter <= iterations; iter++)
        for (int it = 0; it < order; it += tile)
            for (int jt = 0; jt < order; jt += tile)
                for (int i = it; i < (it + tile < order ? it + tile : order); i++)
                    for (int j = jt; j < (jt + tile < order ? jt + tile : order); j++) {
                        B[i * order + j] += A[j * order + i];
                        A[j * order + i] += 1.0;
                    }
    const double addit = (iterations + 1.0) * (iterations / 2.0);
    double abserr = 0.0;
    for (int j = 0; j < order; j++)
        for (int i = 0; i < order; i++) {
            const size_t ij = i * order + j;
            const size_t ji = j * order + i;
            const double reference = (double)(ij) * (iterations + 1.0) + addit;
            abserr += fabs(B[ji] - reference);
        }
    free(A);
    free(B);
    printf("transpose error %.14f\n", abserr);
    return abserr >= 1e-8;
}

static int p2p(int iterations, int m, int n)
{
    double (*const restrict grid)[n] = (double (*)[n])RESTRICT_make(sizeof(double) * m * n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            grid[i][j] = 0.0;
    for (int j = 0; j < n; j++)
        grid[0][j] = (double)j;
    for (int i = 0; i < m; i++)
        grid[i][0] = (double)i;
    for (int iter = 0; iter <= iterations; iter++) {
        for (int i = 1; i < m; i++)
            for (int j = 1; j < n; j++)
                grid[i][j] = grid[i - 1][j] + grid[i][j - 1] - grid[i - 1][j - 1];
        grid[0][0] = -grid[m - 1][n - 1];
    }
    const double corner = (iterations + 1.) * (n + m - 2.), found = grid[m - 1][n - 1];
    free(grid);
    printf("p2p corner %.14f\n", found);
    return fabs(found - corner) / corner > 1e-8;
}

int main(int argc, char **argv)
{
    int iterations = argc > 1 ? atoi(argv[1]) : 5, n = argc > 2 ? atoi(argv[2]) : 75;
    if (iterations < 1 || n < 2 * RADIUS + 1) {
        printf("Usage: %s [iterations] [order]\n", argv[0]);
        return 1;
    }
    int wrong = stencil(iterations, n) + transpose(iterations, n, 32) + p2p(iterations, n, n + 3);
    printf(wrong ? "ERROR\n" : "VERIFICATION SUCCESSFUL\n");
    return wrong;
}
