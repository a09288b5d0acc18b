// plan: math=vector
// brushes: 8 3 4x8 1x4
#include <math.h>

void exponentials(int rows, int cols, const double A[rows][cols], double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = exp(A[j][i]) + log(A[j][i]) * exp2(A[j][i]);
}

void guarded(int rows, int cols, const float A[rows][cols], float B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            if (A[j][i] > 0)
                B[j][i] = logf(A[j][i]);
            else if (A[j][i] < -1)
                B[j][i] = expf(A[j][i]) + exp2f(-A[j][i]);
}

void angles(int rows, int cols, const double A[rows][cols], double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = sin(A[j][i] * 1e8) + cos(1 / A[j][i]) - tan(A[j][i]) * atan2(A[j][i], B[j][i]) + asin(A[j][i]);
}

void single_angles(int cols, const float A[cols], float B[restrict cols])
{
    for (int i = 0; i < cols; ++i) {
        float x = A[i] * 10000;
        B[i] = x > 100 ? sinf(x) : acosf(A[i]) + atanf(x) * cosf(x) * tanf(x);
    }
}

void powers(int cols, const double A[cols], double B[restrict cols], const float C[cols], float D[restrict cols])
{
    for (int i = 0; i < cols; ++i) {
        B[i] = pow(A[i], B[i]) + cbrt(A[i]) * hypot(A[i], B[i]) - log10(A[i]);
        D[i] = powf(C[i], D[i]) + cbrtf(C[i]) * hypotf(C[i], D[i]) - log2f(C[i]);
    }
}

void hyperbolic(int cols, const double A[cols], double B[restrict cols], const float C[cols], float D[restrict cols])
{
    for (int i = 0; i < cols; ++i) {
        B[i] = sinh(A[i]) + cosh(B[i]) * tanh(A[i]) - expm1(A[i]) * log1p(A[i]);
        D[i] = sinhf(C[i]) + coshf(D[i]) * tanhf(C[i]) - expm1f(C[i]) * log1pf(C[i]);
    }
}

/* also where nothing is brushed */
double outside(int cols, double x, double B[restrict cols])
{
    x = exp(x);
    for (int i = 0; i < cols; ++i)
        B[i] = B[i] * x;
    return x - log(x);
}

void uniform(int rows, int cols, double scale, double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = B[j][i] * exp(scale) + log(scale + j);
}
