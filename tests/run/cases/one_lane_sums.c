/* A brush of one lane keeps the order of a sum, from its first term to its last; 8x1 gives each row a lane. */
// brushes: 1 1x1 8x1
double sum(int cols, const double A[restrict cols])
{
    double s = 0.1;
    for (int i = 0; i < cols; ++i)
        s += A[i];
    return s;
}

float product(int rows, int cols, const float A[restrict rows][cols])
{
    float p = 3;
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            if (A[j][i] > 0.5f)
                p *= A[j][i];
    return p;
}

void rows(int rows, int cols, const double A[restrict rows][cols], double B[restrict rows])
{
    for (int j = 0; j < rows; ++j) {
        double s = -0.0;
        for (int i = 0; i < cols; ++i)
            s -= A[j][i];
        B[j] = s;
    }
}
