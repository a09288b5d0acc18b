/* A row of an array is chosen by a subscript that is loaded. */
// brushes: 4x8 8
// values which: 0..rows-1
void choose_rows(int rows, int cols, const double A[restrict rows][cols], const int which[restrict rows],
                 double B[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j][i] = A[which[j]][i];
}
