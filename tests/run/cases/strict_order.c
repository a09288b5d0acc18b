/* Without --fp fast a sum keeps its order, and so does an extreme, which may be a zero of either sign. */
// brushes: 8 4x8
// stays scalar
double ordered(int cols, const double A[restrict cols])
{
    double s = 0;
    for (int i = 0; i < cols; ++i)
        s += A[i];
    return s;
}

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
