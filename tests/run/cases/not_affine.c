/* Reads through subscripts that are no sums of multiples of the counters. */
// brushes: 8 4x8 3x5 16
// size n: 1..40
// length A: n + 8
// length B: n
void halved(int n, const double *restrict A, double *restrict B)
{
    for (int i = 0; i < n; ++i)
        B[i] = A[i / 2] + A[(i + 1) >> 1];
}

void periodic(int n, const float *restrict A, float *restrict B)
{
    for (int i = 0; i < n; ++i)
        B[i] = A[(i + n - 1) % n] + A[(i + 1) % n] - A[i & 7];
}

void clamped(int n, const double *restrict A, double *restrict B)
{
    for (int i = 0; i < n; ++i) {
        int below = i > 0 ? i - 1 : 0, above = i < n - 1 ? i + 1 : n - 1;
        B[i] = A[below] * 0.5 + A[above];
    }
}

void product_of_counters(int rows, int cols, const int D[restrict rows * cols + 1], int C[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            C[j][i] = D[j * i];
}

void periodic_grid(int rows, int cols, const double G[restrict rows][cols], double C[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            C[j][i] = G[(j + 1) % rows][i] + G[j][(i + cols - 1) % cols];
}
