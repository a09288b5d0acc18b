/* Arrays and loops of constant size. */
// brushes: 4x8 3x5 8 16
void fixed(const double A[restrict 13][19], double B[restrict 13][19])
{
    for (int j = 1; j < 12; ++j)
        for (int i = 1; i < 18; ++i)
            B[j][i] = A[j - 1][i] + A[j + 1][i] - A[j][i - 1] * A[j][i + 1];
}

void small(float A[restrict 2][3])
{
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 3; ++i)
            A[j][i] = A[j][i] * 2;
}

void exact(int A[restrict 8][16])
{
    for (int j = 0; j < 8; ++j)
        for (int i = 0; i < 16; ++i)
            A[j][i] += j * i;
}

void never(double A[restrict 4][4])
{
    for (int j = 3; j < 3; ++j)
        for (int i = 0; i < 4; ++i)
            A[j][i] = 1;
}
