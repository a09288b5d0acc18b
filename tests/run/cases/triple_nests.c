/* Three loops of which the brush takes two or three, reductions inside and outside, both of them at once. */
// brushes: 4x8 2x3x4 8 3x5
// size planes: 0..5
// size rows: 0..9
// size cols: 0..18
int total(int planes, int rows, int cols, const int A[restrict planes][rows][cols])
{
    int s = 0;
    for (int k = 0; k < planes; ++k)
        for (int j = 0; j < rows; ++j)
            for (int i = 0; i < cols; ++i)
                s += A[k][j][i] * (i - j);
    return s;
}

void plane_sums(int planes, int rows, int cols, const int A[restrict planes][rows][cols], int S[restrict planes])
{
    for (int k = 0; k < planes; ++k) {
        int s = k;
        for (int j = 0; j < rows; ++j)
            for (int i = 0; i < cols; ++i)
                s ^= A[k][j][i];
        S[k] = s;
    }
}

void along_planes(int planes, int rows, int cols, const long A[restrict planes][rows][cols], long S[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            long s = 0;
            for (int k = 0; k < planes; ++k)
                s = A[k][j][i] > s ? A[k][j][i] : s;
            S[j][i] = s;
        }
}

void products(int planes, int rows, int cols, const float A[restrict planes][rows], const float B[restrict rows][cols],
              float C[restrict planes][cols])
{
    for (int k = 0; k < planes; ++k)
        for (int j = 0; j < rows; ++j)
            for (int i = 0; i < cols; ++i)
                C[k][i] += A[k][j] * B[j][i];
}
