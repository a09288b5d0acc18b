/* Inner loops with constant trip counts: filters, products of short vectors, colours, polynomials. */
typedef unsigned char byte;

void products_of_4(int n, const float a[restrict n][4], const float b[restrict n][4], float c[restrict n])
{
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int k = 0; k < 4; k++)
            s += a[i][k] * b[i][k];
        c[i] = s;
    }
}

void sums_of_colours(int n, const byte a[restrict 3 * n], int c[restrict n])
{
    for (int i = 0; i < n; i++) {
        int s = 0;
        for (int k = 0; k < 3; k++)
            s += a[3 * i + k];
        c[i] = s;
    }
}

void brighter(int n, byte a[restrict n][3], const int add[restrict 3])
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            int x = a[i][k] + add[k];
            a[i][k] = x > 255 ? 255 : x;
        }
}

void polynomial(int n, const double c[restrict 8], const double *restrict a, double *restrict b)
{
    for (int i = 0; i < n; i++) {
        double y = c[0];
        for (int k = 1; k < 8; k++)
            y = y * a[i] + c[k];
        b[i] = y;
    }
}

#define FILTER(SIZE, HALF) \
    for (int j = HALF; j < m - HALF; j++) \
        for (int i = HALF; i < n - HALF; i++) { \
            float s = 0; \
            for (int y = 0; y < SIZE; y++) \
                for (int x = 0; x < SIZE; x++) \
                    s += c[y][x] * A[j + y - HALF][i + x - HALF]; \
            B[j][i] = s; \
        }

void filter_3(int n, int m, const float c[restrict 3][3], const float A[restrict m][n], float B[restrict m][n])
{
    FILTER(3, 1)
}

void filter_5(int n, int m, const float c[restrict 5][5], const float A[restrict m][n], float B[restrict m][n])
{
    FILTER(5, 2)
}

void filter_7(int n, int m, const float c[restrict 7][7], const float A[restrict m][n], float B[restrict m][n])
{
    FILTER(7, 3)
}
