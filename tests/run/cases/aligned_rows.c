/* Rows that start on cache lines: what is stored may go around the caches. */
// brushes: 8 4x8 2x16 8x8 16
// size rows: 0..13
// length A: rows*64
// length B: rows*64
// length F: rows*64
// length G: rows*64
void rows_of_doubles(int rows, const double A[restrict][64], double B[restrict][64])
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < 64; i++)
            B[j][i] = A[j][i] * 3 - 1;
}

void from_one(int rows, const double A[restrict][64], double B[restrict][64])
{
    for (int j = 0; j < rows; j++)
        for (int i = 1; i < 61; i++)
            B[j][i] = A[j][i - 1] + A[j][i + 1];
}

void two_types(int rows, const double A[restrict][64], double B[restrict][64], float F[restrict][64])
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < 64; i++) {
            B[j][i] = -A[j][i];
            F[j][i] = (float)A[j][i];
        }
}

void in_place(int rows, float F[restrict][64])
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < 64; i++)
            F[j][i] = F[j][i] / 3;
}

void under_a_condition(int rows, const float F[restrict][64], float G[restrict][64])
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < 64; i++)
            if (F[j][i] > 0)
                G[j][i] = F[j][i];
}

void one_of_two(int rows, const double A[restrict][64], double B[restrict][64], float F[restrict][64])
{
    for (int j = 0; j < rows; j++)
#pragma omp simd nontemporal(B)
        for (int i = 0; i < 64; i++) {
            B[j][i] = A[j][i] * 3 - 1;
            F[j][i] = A[j][i];
        }
}
