/* Reductions of integers along one and two loops. */
// brushes: 8 4x8 3x5 5
int total(int rows, int cols, const int A[restrict rows][cols])
{
    int sum = 3;
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            sum += A[j][i];
    return sum;
}

int smallest(int cols, const int A[restrict cols])
{
    int m = 1000;
    for (int i = 0; i < cols; ++i)
        m = A[i] < m ? A[i] : m;
    return m;
}

unsigned largest(int rows, int cols, const unsigned A[restrict rows][cols])
{
    unsigned m = 2;
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            m = A[j][i] > m ? A[j][i] : m;
    return m;
}

unsigned long mixture(int rows, int cols, const unsigned long A[restrict rows][cols])
{
    unsigned long x = 0x1234567890abcdef;
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            x ^= A[j][i];
    return x;
}

long widened(int cols, const short A[restrict cols], const unsigned char B[restrict cols])
{
    long sum = 0;
    for (int i = 0; i < cols; ++i)
        sum += (long)A[i] * B[i];
    return sum;
}

unsigned both(int cols, const unsigned A[restrict cols])
{
    unsigned x = ~0u, y = 0;
    for (int i = 0; i < cols; ++i) {
        x &= A[i] | 7;
        y |= A[i];
    }
    return x * 31 + y;
}
