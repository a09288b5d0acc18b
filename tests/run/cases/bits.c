/* The bits of numbers, and constant arrays. */
// brushes: 8 4x8 5
// size n: 0..37
#include <stdint.h>
#include <string.h>
static const float taps[5] = {1, 4, 6, 4, 1};
void roots(int rows, int cols, const float A[restrict rows][cols], float B[restrict rows][cols])
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < cols; i++) {
            float x = A[j][i] < 0 ? -A[j][i] : A[j][i];
            int32_t k;
            memcpy(&k, &x, sizeof k);
            k = 0x5f3759df - (k >> 1);
            memcpy(&x, &k, sizeof x);
            B[j][i] = x;
        }
}

void exponents(int n, const double A[restrict n], int64_t B[restrict n])
{
    for (int i = 0; i < n; i++) {
        uint64_t u;
        memcpy(&u, A + i, sizeof u);
        B[i] = (int64_t)(u >> 52 & 0x7ff) - 1023;
    }
}

void smoothed(int rows, int cols, const float A[restrict rows][cols], float B[restrict rows][cols])
{
    for (int j = 0; j < rows; j++)
        for (int i = 2; i < cols - 2; i++) {
            float s = 0;
            for (int k = 0; k < 5; k++)
                s += taps[k] * A[j][i + k - 2];
            B[j][i] = s * taps[j % 5];
        }
}
