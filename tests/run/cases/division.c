/* Integer division: lanes that do not run may hold zeros. */
// brushes: 8 4x8 3x5 16
// size n: 0..40
// length X: n
// length Y: n
// length Z: n
// length W: n
// values Y: 1..9
// values W: -9..-2
void divide(int n, const int *restrict X, const int *restrict Y, int *restrict Z)
{
    for (int i = 0; i < n; ++i)
        Z[i] = X[i] / Y[i] + X[i] % Y[i];
}

void divide_unsigned(int n, const unsigned long *restrict X, const unsigned long *restrict Y, unsigned long *restrict Z)
{
    for (int i = 0; i < n; ++i)
        Z[i] = X[i] / Y[i] - X[i] % Y[i];
}

void negative(int n, const short *restrict X, const short *restrict W, short *restrict Z)
{
    for (int i = 0; i < n; ++i)
        Z[i] = X[i] / W[i] + X[i] % 7;
}

void by_counter(int n, const int *restrict X, int *restrict Z)
{
    for (int i = 0; i < n; ++i)
        Z[i] = X[i] / 2 / (i - n) + X[i] % (n - i);
}

void rows_divided(int rows, int cols, const int A[restrict rows][cols], int B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = A[j][i] / (i + 1) + A[j][i] % (rows - j);
}
