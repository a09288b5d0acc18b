/* Sums of floating-point numbers along brushed loops. */
// plan: fp=fast
// brushes: 8 4x8 3x5
double sum(int rows, int cols, const double A[restrict rows][cols])
{
    double s = 0;
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            s += A[j][i];
    return s;
}

float dot(int cols, const float A[restrict cols], const float B[restrict cols])
{
    float s = 0;
    for (int i = 0; i < cols; ++i)
        s += A[i] * B[i];
    return s;
}

double product(int cols, const double A[restrict cols])
{
    double p = 2;
    for (int i = 0; i < cols; ++i)
        p *= A[i];
    return p;
}
