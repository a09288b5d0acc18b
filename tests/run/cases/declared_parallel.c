/* The same, said by pragmas. */
// brushes: 8 5 1x8
// values idx: 0..cols-1
void scatter(int cols, const float A[restrict cols], const int idx[restrict cols], float B[restrict cols])
{
#pragma omp simd
    for (int i = 0; i < cols; ++i)
        B[idx[i]] = A[i];
}

void scatter_rows(int rows, int cols, const double A[restrict rows][cols], const unsigned char idx[restrict cols],
                  double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
#pragma GCC ivdep
        for (int i = 0; i < cols; ++i)
            B[j][idx[i]] = A[j][i];
}
