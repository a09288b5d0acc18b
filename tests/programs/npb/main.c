/* The forms of the NAS benchmarks: static arrays, old names of types, OpenMP's regions with orphaned loops, a generator that is called. */
#include <stdio.h>
#include <math.h>
#include "header.h"

static double u[IMAX][JMAX][KMAX][5], rhs[IMAX][JMAX][KMAX][5], forcing[IMAX][JMAX][KMAX][5], lhs[IMAX][JMAX][5][5];
static double tx1 = 2.5, dt = 0.01;
static double ce[5][5];
static int grid_points[3];

static void set_constants(void)
{
    int m, k;
    for (m = 0; m < 5; m++)
        for (k = 0; k < 5; k++)
            ce[m][k] = 0.1 * (m + 1) + 0.01 * k;
    grid_points[0] = IMAX;
    grid_points[1] = JMAX;
    grid_points[2] = KMAX;
}

static void exact_solution(double xi, double eta, double zeta, double dtemp[5])
{
    int m;
    for (m = 0; m < 5; m++)
        dtemp[m] = ce[m][0] + xi * (ce[m][1] + xi * ce[m][2]) + eta * ce[m][3] + zeta * ce[m][4];
}

static void initialize(void)
{
    int i, j, k, m;
    double temp[5];
#pragma omp parallel for private(j, k, m, temp)
    for (i = 0; i < grid_points[0]; i++)
        for (j = 0; j < grid_points[1]; j++)
            for (k = 0; k < grid_points[2]; k++) {
                exact_solution(i * 0.1, j * 0.1, k * 0.1, temp);
                for (m = 0; m < 5; m++) {
                    u[i][j][k][m] = temp[m];
                    forcing[i][j][k][m] = 0.5 * temp[m];
                }
            }
}

static void compute_rhs(void)
{
    int i, j, k, m;
#pragma omp for nowait
    for (i = 0; i < grid_points[0]; i++)
        for (j = 0; j < grid_points[1]; j++)
            for (k = 0; k < grid_points[2]; k++)
                for (m = 0; m < 5; m++)
                    rhs[i][j][k][m] = forcing[i][j][k][m];
#pragma omp barrier
#pragma omp for
    for (i = 1; i < grid_points[0] - 1; i++)
        for (j = 1; j < grid_points[1] - 1; j++)
            for (k = 1; k < grid_points[2] - 1; k++)
                for (m = 0; m < 5; m++)
                    rhs[i][j][k][m] = rhs[i][j][k][m] + dt * tx1 *
                        (u[i + 1][j][k][m] - 2.0 * u[i][j][k][m] + u[i - 1][j][k][m] + u[i][j][k + 1][m] - u[i][j][k - 1][m]);
}

static void matvec_sub(double ablock[5][5], double avec[5], double bvec[5])
{
    int i;
    for (i = 0; i < 5; i++)
        bvec[i] = bvec[i] - ablock[i][0] * avec[0] - ablock[i][1] * avec[1] - ablock[i][2] * avec[2] - ablock[i][3] * avec[3]
                  - ablock[i][4] * avec[4];
}

static void solve(void)
{
    int i, j, k, m, n;
    for (i = 1; i < IMAX - 1; i++) {
        for (j = 0; j < JMAX; j++)
            for (m = 0; m < 5; m++)
                for (n = 0; n < 5; n++)
                    lhs[i][j][m][n] = m == n ? 0.25 : 0.01 * u[i][j][3][n];
        for (j = 1; j < JMAX; j++)
            for (k = 1; k < KMAX - 1; k++)
                matvec_sub(lhs[i][j], rhs[i][j - 1][k], rhs[i][j][k]);
    }
}

static void add(void)
{
    int i, j, k, m;
#pragma omp for
    for (i = 1; i < grid_points[0] - 1; i++)
        for (j = 1; j < grid_points[1] - 1; j++)
            for (k = 1; k < grid_points[2] - 1; k++)
                for (m = 0; m < 5; m++)
                    u[i][j][k][m] = u[i][j][k][m] + rhs[i][j][k][m];
}

int main(void)
{
    int i, j, k, m, step;
    double rms[5], tran = 314159265.0, sum = 0.0;
    set_constants();
    initialize();
    for (step = 1; step <= 3; step++) {
        if (step % 2 == 0)
            printf(" Time step %4d\n", step);
#pragma omp parallel
        {
            compute_rhs();
#pragma omp single
            solve();
            add();
        }
    }
    for (m = 0; m < 5; m++)
        rms[m] = 0.0;
    for (i = 1; i < IMAX - 1; i++)
        for (j = 1; j < JMAX - 1; j++)
            for (k = 1; k < KMAX - 1; k++)
                for (m = 0; m < 5; m++)
                    rms[m] = rms[m] + u[i][j][k][m] * u[i][j][k][m];
    for (m = 0; m < 5; m++)
        printf(" %d %20.13e\n", m, rms[m] = sqrt(rms[m] / (IMAX * JMAX * KMAX)));
    for (i = 0; i < 1000; i++)
        sum += randlc(&tran, 1220703125.0);
    printf(" Verification = %s\n", rms[0] > 0 && fabs(sum / 1000 - 0.5) < 0.05 ? "SUCCESSFUL" : "UNSUCCESSFUL");
    return !(rms[0] > 0);
}
