/* Branches all of whose arms store one element: one selection and one store; what another arm or a later load sees stays as it was. */
// brushes: 8 16 4x8 3x5
// size n: 0..20
// size m: 0..37
// values flags: 0..5
void three_ways(int n, int m, const int flags[restrict n][m], const float A[restrict n][m], float B[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            if (flags[j][i] < 2)
                B[j][i] += A[j][i] * 3;
            else if (flags[j][i] == 2)
                B[j][i] += A[j][i] * A[j][i];
            else
                B[j][i] -= A[j][i];
        }
}

void two_elements(int n, int m, const int flags[restrict n][m], const float A[restrict n][m], float B[restrict n][m], float C[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            if (flags[j][i] & 1) {
                B[j][i] = A[j][i];
                C[j][i] = B[j][i] + 1;
            } else {
                C[j][i] = B[j][i];
                B[j][i] = 2;
            }
        }
}

void one_arm_more(int n, int m, const int flags[restrict n][m], const float A[restrict n][m], float B[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            if (flags[j][i] == 1)
                B[j][i] = A[j][i];
            else if (flags[j][i] == 2)
                B[j][i] = 7;
        }
}
