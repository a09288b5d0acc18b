/* What lanes load under a condition is overwritten under the same condition before they choose between it and something else. */
// brushes: 8 3 16
// size n: 0..40
// length A: 50
// values A: -9..9

void taken(int n, int A[restrict 50], const float x[restrict n], int out[restrict n])
{
    for (int i = 0; i < n; i++) {
        int t = 7;
        if (x[i] > 0.0f) {
            t = A[i];
            A[i] = 5;
        }
        out[i] = t;
    }
}
void both_arms(int n, int A[restrict 50], const float x[restrict n], double out[restrict n])
{
    for (int i = 0; i < n; i++) {
        int t;
        if (x[i] > 0.0f) {
            t = A[i];
            A[i] = i;
        } else {
            t = A[i] * 2;
            A[i] = -i;
        }
        out[i] = t;
    }
}
