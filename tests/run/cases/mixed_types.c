/* Conversions between all types, and registers of different element sizes in one body. */
// brushes: 8 16 4x8 3x5
// size n: 0..40
// length I: n
// length U: n
// length C: n
// length S: n
// length L: n
// length F: n
// length D: n
// length R: n
// length V: n
void to_double(int n, const int *restrict I, const unsigned *restrict U, const unsigned char *restrict C,
               const short *restrict S, const long *restrict L, double *restrict R)
{
    for (int i = 0; i < n; ++i)
        R[i] = I[i] * 0.5 + U[i] + C[i] - S[i] + L[i];
}

void to_float(int n, const int *restrict I, const double *restrict D, const signed char *restrict C, float *restrict F)
{
    for (int i = 0; i < n; ++i)
        F[i] = (float)D[i] * C[i] + I[i];
}

void bytes(int n, const unsigned char *restrict C, const signed char *restrict V, short *restrict S)
{
    for (int i = 0; i < n; ++i)
        S[i] = C[i] * V[i] - (C[i] > V[i]);
}

void shifts(int n, const int *restrict I, const unsigned *restrict U, long *restrict L)
{
    for (int i = 0; i < n; ++i)
        L[i] = (I[i] >> 3) + (long)(U[i] >> (i & 31)) + ((unsigned long)U[i] << 20);
}

void narrow(int n, const long *restrict L, const int *restrict I, unsigned char *restrict C, short *restrict S)
{
    for (int i = 0; i < n; ++i) {
        C[i] = L[i] + I[i];
        S[i] = L[i] >> 7;
    }
}

void choose(int n, const float *restrict F, const double *restrict D, const int *restrict I, double *restrict R)
{
    for (int i = 0; i < n; ++i) {
        float f = F[i];
        double d = D[i];
        R[i] = I[i] > 0 ? f : -d;
    }
}

void truths(int n, const double *restrict D, const float *restrict F, const _Bool *restrict V, int *restrict I)
{
    for (int i = 0; i < n; ++i)
        I[i] = (D[i] < F[i]) + 2 * (D[i] != D[i]) + 4 * V[i] + 8 * (F[i] >= 0);
}

void from_counter(int n, double *restrict D, long *restrict L, unsigned char *restrict C)
{
    for (int i = 0; i < n; ++i) {
        D[i] = i * 0.1;
        L[i] = (long)i * i * i;
        C[i] = 7 * i;
    }
}
