/* Dense linear algebra in plain loops: products, triangular updates, factorizations, solvers. */
#define M restrict n][n]

void two_products(int n, double alpha, double T[M, const double A[M, const double B[M, const double C[M, double D[M)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            T[i][j] = 0;
            for (int k = 0; k < n; k++)
                T[i][j] += alpha * A[i][k] * B[k][j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            D[i][j] *= 1.5;
            for (int k = 0; k < n; k++)
                D[i][j] += T[i][k] * C[k][j];
        }
}

void product(int n, const double A[M, const double B[M, double C[M)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            C[i][j] *= 1.25;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                C[i][j] += 1.5 * A[i][k] * B[k][j];
}

void there_and_back(int n, const double A[M, const double x[restrict n], double y[restrict n], double t[restrict n])
{
    for (int i = 0; i < n; i++)
        y[i] = 0;
    for (int i = 0; i < n; i++) {
        t[i] = 0;
        for (int j = 0; j < n; j++)
            t[i] += A[i][j] * x[j];
        for (int j = 0; j < n; j++)
            y[j] += A[i][j] * t[i];
    }
}

void two_sided(int n, const double A[M, double s[restrict n], double q[restrict n], const double p[restrict n], const double r[restrict n])
{
    for (int i = 0; i < n; i++)
        s[i] = 0;
    for (int i = 0; i < n; i++) {
        q[i] = 0;
        for (int j = 0; j < n; j++) {
            s[j] += r[i] * A[i][j];
            q[i] += A[i][j] * p[j];
        }
    }
}

void both_ways(int n, double x1[restrict n], double x2[restrict n], const double y1[restrict n], const double y2[restrict n], const double A[M)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x1[i] += A[i][j] * y1[j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x2[i] += A[j][i] * y2[j];
}

void rank_two_update(int n, double A[M, const double u1[restrict n], const double v1[restrict n], const double u2[restrict n],
                     const double v2[restrict n], double w[restrict n], double x[restrict n], const double y[restrict n], const double z[restrict n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] += u1[i] * v1[j] + u2[i] * v2[j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[i] += 1.2 * A[j][i] * y[j];
    for (int i = 0; i < n; i++)
        x[i] += z[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            w[i] += 1.5 * A[i][j] * x[j];
}

void symmetric_update(int n, double C[M, const double A[M)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            C[i][j] *= 1.2;
        for (int k = 0; k < n; k++)
            for (int j = 0; j <= i; j++)
                C[i][j] += 1.5 * A[i][k] * A[j][k];
    }
}

void symmetric_update_2(int n, double C[M, const double A[M, const double B[M)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            C[i][j] *= 1.2;
        for (int k = 0; k < n; k++)
            for (int j = 0; j <= i; j++)
                C[i][j] += A[j][k] * 1.5 * B[i][k] + B[j][k] * 1.5 * A[i][k];
    }
}

void triangle_times(int n, const double A[M, double B[M)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (int k = i + 1; k < n; k++)
                B[i][j] += A[k][i] * B[k][j];
            B[i][j] = 1.5 * B[i][j];
        }
}

void symmetric_times(int n, double C[M, const double A[M, const double B[M)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double t = 0;
            for (int k = 0; k < i; k++) {
                C[k][j] += 1.5 * B[i][j] * A[i][k];
                t += B[k][j] * A[i][k];
            }
            C[i][j] = 1.2 * C[i][j] + 1.5 * B[i][j] * A[i][i] + 1.5 * t;
        }
}

void cholesky_like(int n, double A[M)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[j][k];
            A[i][j] /= A[j][j] + 2;
        }
        for (int k = 0; k < i; k++)
            A[i][i] -= A[i][k] * A[i][k];
    }
}

void triangles(int n, double A[M)
{
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++)
            A[i][k] /= A[k][k] + 2;
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                A[i][j] -= A[i][k] * A[k][j];
    }
}

void levinson(int n, const double r[restrict n], double y[restrict n], double z[restrict n])
{
    double beta = 1, alpha = -r[0];
    y[0] = -r[0];
    for (int k = 1; k < n; k++) {
        beta = (1 - alpha * alpha) * beta + 1;
        double sum = 0;
        for (int i = 0; i < k; i++)
            sum += r[k - i - 1] * y[i];
        alpha = -(r[k] + sum) / beta;
        for (int i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - i - 1];
        for (int i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
    }
}

void forward_solve(int n, const double L[M, double x[restrict n], const double b[restrict n])
{
    for (int i = 0; i < n; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= L[i][j] * x[j];
        x[i] = x[i] / (L[i][i] + 2);
    }
}

void contraction(int n, int m, double A[restrict m][m][n], const double C[M, double t[restrict n])
{
    for (int r = 0; r < m; r++)
        for (int q = 0; q < m; q++) {
            for (int p = 0; p < n; p++) {
                t[p] = 0;
                for (int s = 0; s < n; s++)
                    t[p] += A[r][q][s] * C[s][p];
            }
            for (int p = 0; p < n; p++)
                A[r][q][p] = t[p];
        }
}
