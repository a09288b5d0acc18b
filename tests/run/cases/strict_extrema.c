/* The least and the greatest float keep the scalar order's choice, which may be a zero of either sign, without --fp fast. */
// brushes: 8 4x8
double least(int cols, const double A[restrict cols])
{
    double m = 1e308;
    for (int i = 0; i < cols; ++i)
        m = A[i] < m ? A[i] : m;
    return m;
}

float greatest(int rows, int cols, const float A[restrict rows][cols])
{
    float m = -3e38f;
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            m = A[j][i] > m ? A[j][i] : m;
    return m;
}
