/* Loops that count down, and negative strides. */
// brushes: 8 4x8 3x5
// size n: 0..40
// length X: n
// length Y: n
void down(int n, const double *restrict X, double *restrict Y)
{
    for (int i = n - 1; i >= 0; --i)
        Y[i] = X[n - 1 - i];
}

void down_by_two(int n, const float *restrict X, float *restrict Y)
{
    for (int i = n; i > 0; i -= 2)
        Y[i - 1] = X[i - 1] * 2;
}

void both_down(int rows, int cols, const int A[restrict rows][cols], int B[restrict rows][cols])
{
    for (int j = rows - 1; j >= 0; j--)
        for (int i = cols - 1; i >= 0; i--)
            B[j][i] = A[j][i] + i - j;
}

void while_down(unsigned n, const short *restrict X, short *restrict Y)
{
    for (unsigned i = n; i-- > 0;)
        Y[i] = X[i] + 1;
}
