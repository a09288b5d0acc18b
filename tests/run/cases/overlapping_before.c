/* As `overlapping`, with the written array first and by a single element; a second pair does not overlap. */
// brushes: 8 4x8 5
// size rows: 0..9
// size cols: 0..20
// length A: rows*cols + 1
// alias B: A + 1
void sums(int rows, int cols, float *B, float *A, float C[rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            A[j * cols + i] = B[j * cols + i] * 3;
            C[j][i] = A[j * cols + i];
        }
}
