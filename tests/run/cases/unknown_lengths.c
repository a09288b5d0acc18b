/* Loops that cannot be counted take no dimension of a brush: these take the brush's inner one. */
// brushes: 8x1 2x4 1x8
void steps(int cols, const int A[restrict cols], int B[restrict cols])
{
    for (int i = 0; i < cols; ++i) {
        int x = A[i] & 255, k = 0;
        while (x > 1) {
            x = x & 1 ? 3 * x + 1 : x / 2;
            ++k;
        }
        B[i] = k;
    }
}
