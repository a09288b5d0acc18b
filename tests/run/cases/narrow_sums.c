/* Accumulators that are narrower than int. */
// brushes: 4x8 8 3x5
// may stay scalar
unsigned char parity(int rows, int cols, const unsigned char A[restrict rows][cols])
{
    unsigned char x = 0;
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            x ^= A[j][i];
    return x;
}

short mixed(int cols, const short A[restrict cols], const int B[restrict cols])
{
    short s = 5;
    int m = 0;
    for (int i = 0; i < cols; ++i) {
        s += A[i];
        m = B[i] < m ? B[i] : m;
    }
    return s + m;
}
