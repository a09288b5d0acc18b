/* Sequential loops inside the brush: with bounds from outer counters, several of them, carried values, no iterations. */
// brushes: 4x8 8 3x5
// size inner: 0..4
void polynomial(int rows, int cols, int inner, const double c[restrict inner], const double X[restrict rows][cols],
                double Y[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            double y = 0;
            for (int k = 0; k < inner; ++k)
                y = y * X[j][i] + c[k];
            Y[j][i] = y;
        }
}

void iterate(int rows, int cols, int inner, const float X[restrict rows][cols], float Y[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            float x = X[j][i], y = 1;
            for (int k = 0; k < inner; ++k) {
                float next = x * y;
                y = x + k;
                x = next;
            }
            Y[j][i] = x - y;
        }
}

void two_inner(int rows, int cols, int inner, const int A[restrict rows][inner], const int B[restrict inner][cols],
               int C[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            int s = j, t = i;
            for (int k = 0; k < inner; ++k)
                s += A[j][k] * B[k][i];
            for (int k = inner - 1; k > 0; --k)
                t ^= B[k][i] - B[k - 1][i];
            C[j][i] = s * t;
        }
}

void stored_inside(int rows, int cols, int inner, double A[restrict rows][inner][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            for (int k = 1; k < inner; ++k)
                A[j][k][i] = A[j][k - 1][i] * 0.5 + A[j][k][i];
}

void filter(int rows, int cols, const float F[restrict 3][3], const float A[restrict rows + 2][cols + 2],
            float B[restrict rows][cols])
{
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < cols; ++x) {
            float sum = 0;
            for (int dy = 0; dy < 3; ++dy)
                for (int dx = 0; dx < 3; ++dx)
                    sum += F[dy][dx] * A[y + dy][x + dx];
            B[y][x] = sum;
        }
}

void recurrence_down(int rows, int cols, double A[restrict rows][cols])
{
    for (int i = 0; i < cols; ++i)
        for (int j = 1; j < rows; ++j)
            A[j][i] = A[j - 1][i] * 0.25 + A[j][i];
}
