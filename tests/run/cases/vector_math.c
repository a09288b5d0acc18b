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
