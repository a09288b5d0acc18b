/* Searches among neighbours, triangles, conditions of both kinds inside each other, narrow values in loops. */
// brushes: 8 5 3x4
// size n: 0..20
// size m: 0..20
// size p: 0..4

void pairs(int n, int m, int p, const double X[restrict n][m], double Y[restrict n][m], int K[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            double best = 1e9, x = X[j][i];
            int which = -1;
            for (int k = 0; k < m; ++k) {
                if (k == i)
                    continue;
                double d = X[j][k] - x;
                if (d < 0)
                    d = -d;
                if (d < best) {
                    best = d;
                    which = k;
                }
                if (p && best < 0.5)
                    break;
            }
            Y[j][i] = best;
            K[j][i] = which;
        }
}

void triangle(int n, const double X[restrict n], double Y[restrict n])
{
    for (int i = 0; i < n; ++i) {
        double s = 0;
        for (int k = 0; k <= i; ++k) {
            if (X[k] < 0)
                continue;
            s += X[k] / (k + 1);
        }
        Y[i] = s;
    }
}

void uniform_inside(int n, int m, int p, const int F[restrict n][m], int G[restrict n][m], int T[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            if (F[j][i] > 0) {
                if (p > 1) {
                    if (F[j][i] & 2)
                        G[j][i] = 1;
                    for (int k = 0; k < p; ++k) {
                        if (p == 3)
                            break;
                        if (G[j][i] & k)
                            T[j][i] += k;
                    }
                } else if (F[j][i] & 1)
                    T[j][i] = 9;
                else
                    G[j][i] = -p;
            } else {
                if (p == 2)
                    G[j][i] = 5;
            }
        }
}

int first(int n, int p, const int A[restrict n], long B[restrict n])
{
    int worst = -1000000;
    for (int i = 0; i < n; ++i) {
        long f = 1;
        int k = A[i] & 7;
        do {
            f *= k;
            if (f > 100)
                break;
        } while (--k > 0);
        if (B[i] > f)
            worst = worst > (int)(f & 1023) ? worst : (int)(f & 1023);
        B[i] = f;
    }
    return worst;
}

void shorts(int n, const short A[restrict n], unsigned char B[restrict n], signed char C[restrict n])
{
    for (int i = 0; i < n; ++i) {
        signed char c = A[i];
        unsigned char u = A[i] >> 3;
        while (c > 3 || u > 200) {
            c = c / 2;
            u -= 7;
            if (c == 9)
                C[i] = c;
        }
        B[i] = u;
        if (u == 200 - c)
            C[i] += 3;
    }
}
