/* Statistics over the columns of a matrix, and orthogonalization. */
double sqrt(double);

void centred_products(int n, double X[restrict n][n], double S[restrict n][n], double mu[restrict n])
{
    for (int q = 0; q < n; q++) {
        mu[q] = 0;
        for (int r = 0; r < n; r++)
            mu[q] += X[r][q];
        mu[q] /= n;
    }
    for (int r = 0; r < n; r++)
        for (int q = 0; q < n; q++)
            X[r][q] -= mu[q];
    for (int p = 0; p < n; p++)
        for (int q = p; q < n; q++) {
            S[p][q] = 0;
            for (int r = 0; r < n; r++)
                S[p][q] += X[r][p] * X[r][q];
            S[p][q] /= n - 1.0;
            S[q][p] = S[p][q];
        }
}

void scaled_products(int n, double X[restrict n][n], double S[restrict n][n], double mu[restrict n], double dev[restrict n])
{
    for (int q = 0; q < n; q++) {
        mu[q] = 0;
        for (int r = 0; r < n; r++)
            mu[q] += X[r][q];
        mu[q] /= n;
    }
    for (int q = 0; q < n; q++) {
        dev[q] = 0;
        for (int r = 0; r < n; r++)
            dev[q] += (X[r][q] - mu[q]) * (X[r][q] - mu[q]);
        dev[q] = sqrt(dev[q] / n);
        dev[q] = dev[q] <= 0.1 ? 1.0 : dev[q];
    }
    for (int r = 0; r < n; r++)
        for (int q = 0; q < n; q++) {
            X[r][q] -= mu[q];
            X[r][q] /= sqrt((double)n) * dev[q];
        }
    for (int p = 0; p < n - 1; p++) {
        S[p][p] = 1;
        for (int q = p + 1; q < n; q++) {
            S[p][q] = 0;
            for (int r = 0; r < n; r++)
                S[p][q] += X[r][p] * X[r][q];
            S[q][p] = S[p][q];
        }
    }
}

void orthogonal(int n, double V[restrict n][n], double P[restrict n][n], double U[restrict n][n])
{
    for (int c = 0; c < n; c++) {
        double norm = 0;
        for (int r = 0; r < n; r++)
            norm += V[r][c] * V[r][c];
        P[c][c] = sqrt(norm) + 1;
        for (int r = 0; r < n; r++)
            U[r][c] = V[r][c] / P[c][c];
        for (int d = c + 1; d < n; d++) {
            P[c][d] = 0;
            for (int r = 0; r < n; r++)
                P[c][d] += U[r][c] * V[r][d];
            for (int r = 0; r < n; r++)
                V[r][d] -= U[r][c] * P[c][d];
        }
    }
}
