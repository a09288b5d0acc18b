/* Strides 2, 3, 5 and -3, in loads and stores. */
// brushes: 8 4 3 16
// size n: 0..40
// length X: 3*n
// length Y: 3*n
// length P: 5*n
// length Q: 2*n
void take_every_second(int n, const double *restrict X, double *restrict Y)
{
    for (int i = 0; i < n; ++i)
        Y[i] = X[2 * i] + X[2 * i + 1];
}

void put_every_second(int n, const float *restrict X, float *restrict Y)
{
    for (int i = 0; i < n; ++i)
        Y[2 * i] = X[i];
}

void interleave(int n, const float *restrict X, float *restrict Q)
{
    for (int i = 0; i < n; ++i) {
        Q[2 * i] = X[i];
        Q[2 * i + 1] = X[n + i];
    }
}

void colours(int n, const unsigned char *restrict X, unsigned char *restrict Y)
{
    for (int i = 0; i < n; ++i) {
        Y[3 * i] = X[3 * i + 2];
        Y[3 * i + 1] = X[3 * i + 1] / 2;
        Y[3 * i + 2] = X[3 * i];
    }
}

void backwards(int n, const double *restrict X, double *restrict Y)
{
    for (int i = 0; i < n; ++i)
        Y[3 * (n - 1 - i)] = X[3 * (n - 1) - 3 * i + 1];
}

void far(int n, const double *restrict P, double *restrict Y)
{
    for (int i = 0; i < n; ++i)
        Y[i] = P[5 * i + 3];
}

void step_three(int n, const int *restrict X, int *restrict Y)
{
    for (int i = 0; i < n; i += 3)
        Y[i] = X[i] * X[i];
}

// length E: 2*n - 1
void ends_with_the_last(int n, const double *restrict E, double *restrict Y)
{
    for (int i = 0; i < n; ++i)
        Y[i] = E[2 * i];
}
