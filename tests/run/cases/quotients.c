/* Loops in which the divider is the bottleneck, with operands of all kinds. */
// brushes: 8 16 32 64 4x8 4x16
// size n: 0..70
// size rows: 1..3
// length A: n
// length B: n
// length C: n
// length F: n
// length G: n
// length H: n
// length P: rows*n
// length Q: rows*n
#include <math.h>

void quotients(int n, const double *restrict A, const double *restrict B, double *restrict C)
{
    for (int i = 0; i < n; i++)
        C[i] = A[i] / (B[i] * B[i]);
}

void lengths(int n, const double *restrict A, const double *restrict B, double *restrict C)
{
    for (int i = 0; i < n; i++)
        C[i] = A[i] / sqrt(A[i] * A[i] + B[i] * B[i]);
}

void float_lengths(int n, const float *restrict F, const float *restrict G, float *restrict H)
{
    for (int i = 0; i < n; i++)
        H[i] = F[i] / sqrtf(F[i] * F[i] + G[i]);
}

void continued_fraction(int n, const float *restrict F, const float *restrict G, float *restrict H)
{
    for (int i = 0; i < n; i++) {
        float x = 1;
        for (int k = 0; k < 9; k++)
            x = x / (F[i] + k) + G[i];
        H[i] = x;
    }
}

void where_it_can(int n, const double *restrict A, const double *restrict B, double *restrict C)
{
    for (int i = 0; i < n; i++)
        if (B[i] != 0)
            C[i] = A[i] / B[i] + sqrt(B[i]);
}

void in_two_dimensions(int rows, int n, const double P[restrict rows][n], double Q[restrict rows][n])
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < n; i++)
            Q[j][i] = 1 / sqrt(P[j][i]);
}

void growing(int n, const float *restrict F, float *restrict H)
{
    for (int i = 0; i < n; i++) {
        float x = F[i], y = 0;
        if (x > -1)
            for (int k = 0; k < 12; k++)
                y = y / (x + k * 0.5f) + 1;
        H[i] = y;
    }
}

void now_and_then(int n, const double *restrict A, const double *restrict B, double *restrict C)
{
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = 0; k < 9; k++) {
            double d = A[i] * A[i] + k * B[i];
            if (k % 3 == 1)
                s += 1 / sqrt(d) + A[i] / sqrt(d);
            else
                s -= d;
        }
        C[i] = s;
    }
}
