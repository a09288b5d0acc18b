/* One reduction per row or per column, with the result stored. */
// brushes: 4x8 8 3x5
void row_sums(int rows, int cols, const int A[restrict rows][cols], int sums[restrict rows])
{
    for (int j = 0; j < rows; ++j) {
        int sum = 0;
        for (int i = 0; i < cols; ++i)
            sum += A[j][i];
        sums[j] = sum;
    }
}

void column_maxima(int rows, int cols, const double A[restrict rows][cols], double largest[restrict cols])
{
    for (int i = 0; i < cols; ++i) {
        double m = -1e300;
        for (int j = 0; j < rows; ++j)
            m = A[j][i] > m ? A[j][i] : m;
        largest[i] = m;
    }
}

void dot_products(int rows, int cols, int inner, const float A[restrict rows][inner], const float B[restrict cols][inner],
                  float C[restrict rows][cols])
{
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) {
            float sum = 0;
            for (int k = 0; k < inner; ++k)
                sum += A[i][k] * B[j][k];
            C[i][j] = sum;
        }
}
