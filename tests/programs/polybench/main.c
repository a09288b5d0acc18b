/* The forms of PolyBench: macros for arrays, allocated in main, kernels that get them as arrays of constant lengths. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "polybench.h"

static void init_array(int n, DATA_TYPE *alpha, DATA_TYPE POLYBENCH_2D(A, N, N), DATA_TYPE POLYBENCH_2D(B, N, N),
                       DATA_TYPE POLYBENCH_2D(C, N, N))
{
    int i, j;
    *alpha = 1.5;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            A[i][j] = (DATA_TYPE)((i * j + 1) % n) / n;
            B[i][j] = (DATA_TYPE)(i * (j + 1) % n) / n;
            C[i][j] = (DATA_TYPE)(i * (j + 2) % n) / n;
        }
}

static void kernel_syrk(int n, DATA_TYPE alpha, DATA_TYPE POLYBENCH_2D(C, N, N), DATA_TYPE POLYBENCH_2D(A, N, N))
{
    int i, j, k;
#pragma scop
    for (i = 0; i < n; i++) {
        for (j = 0; j <= i; j++)
            C[i][j] *= alpha;
        for (k = 0; k < n; k++)
            for (j = 0; j <= i; j++)
                C[i][j] += alpha * A[i][k] * A[j][k];
    }
#pragma endscop
}

static void kernel_jacobi_2d(int tsteps, int n, DATA_TYPE POLYBENCH_2D(A, N, N), DATA_TYPE POLYBENCH_2D(B, N, N))
{
    int t, i, j;
    for (t = 0; t < tsteps; t++) {
        for (i = 1; i < n - 1; i++)
            for (j = 1; j < n - 1; j++)
                B[i][j] = SCALAR_VAL(0.2) * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]);
        for (i = 1; i < n - 1; i++)
            for (j = 1; j < n - 1; j++)
                A[i][j] = SCALAR_VAL(0.2) * (B[i][j] + B[i][j - 1] + B[i][1 + j] + B[1 + i][j] + B[i - 1][j]);
    }
}

static void kernel_atax(int n, DATA_TYPE POLYBENCH_2D(A, N, N), DATA_TYPE x[N], DATA_TYPE y[N], DATA_TYPE tmp[N])
{
    int i, j;
    for (i = 0; i < n; i++)
        y[i] = 0;
    for (i = 0; i < n; i++) {
        tmp[i] = SCALAR_VAL(0.0);
        for (j = 0; j < n; j++)
            tmp[i] = tmp[i] + A[i][j] * x[j];
        for (j = 0; j < n; j++)
            y[j] = y[j] + A[i][j] * tmp[i];
    }
}

static void print_array(int n, DATA_TYPE POLYBENCH_2D(C, N, N))
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if ((i * n + j) % 20 == 0)
                printf("\n");
            printf("%0.2lf ", C[i][j]);
        }
    printf("\n");
}

int main(int argc, char **argv)
{
    int n = N, failures = 0;
    DATA_TYPE alpha, x[N], y[N], tmp[N];
    POLYBENCH_2D_ARRAY_DECL(A, DATA_TYPE, N, N);
    POLYBENCH_2D_ARRAY_DECL(B, DATA_TYPE, N, N);
    POLYBENCH_2D_ARRAY_DECL(C, DATA_TYPE, N, N);
    init_array(n, &alpha, POLYBENCH_ARRAY(A), POLYBENCH_ARRAY(B), POLYBENCH_ARRAY(C));
    kernel_syrk(n, alpha, POLYBENCH_ARRAY(C), POLYBENCH_ARRAY(A));
    kernel_jacobi_2d(3, n, POLYBENCH_ARRAY(A), POLYBENCH_ARRAY(B));
    for (int i = 0; i < n; i++)
        x[i] = 1 + i / (DATA_TYPE)n;
    kernel_atax(n, POLYBENCH_ARRAY(A), x, y, tmp);
    for (int i = 0; i < n; i++)
        if (!((*C)[i][i] > 0) || !(y[i] > 0))
            failures++;
    if (argc > 42 && !strcmp(argv[0], ""))
        print_array(n, POLYBENCH_ARRAY(B));
    print_array(8, POLYBENCH_ARRAY(C));
    printf("%.17g %.17g\n%s\n", y[3], (*A)[n - 2][4], failures ? "FAILED" : "VERIFICATION SUCCESSFUL");
    free(A);
    free(B);
    free(C);
    return failures;
}
