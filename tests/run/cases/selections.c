/* Phis that change together: the place of the smallest and largest element, the last and the first that something holds for. */
// brushes: 8 4x8 3x5 5 2x16
// size n: 0..20
double smallest(int cols, const double A[restrict cols])
{
    double m = 0.25;
    for (int i = 0; i < cols; ++i)
        m = A[i] < m ? A[i] : m;
    return m;
}

float largest(int cols, const float A[restrict cols])
{
    float m = -1e30f;
    for (int i = 0; i < cols; ++i)
        if (A[i] >= m)
            m = A[i];
    return m;
}

int place_of_smallest(int cols, const double A[restrict cols])
{
    double m = 1e300;
    int k = -1;
    for (int i = 0; i < cols; ++i)
        if (A[i] < m) {
            m = A[i];
            k = i;
        }
    return k;
}

int last_place_of_largest(int cols, const int A[restrict cols])
{
    int m = -100, k = -1;
    for (int i = 0; i < cols; ++i)
        if ((A[i] & 7) >= m) {
            m = A[i] & 7;
            k = 2 * i + 1;
        }
    return k + 1000 * m;
}

long place_in_plane(int rows, int cols, const float A[restrict rows][cols])
{
    float m = 0.5f;
    long k = -7;
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            if (A[j][i] <= m) {
                m = A[j][i];
                k = (long)j * 1000 + i;
            }
    return k;
}

int first_place_in_plane(int rows, int cols, const int A[restrict rows][cols])
{
    int m = 1 << 30, k = -7;
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            if ((A[j][i] & 15) < m) {
                m = A[j][i] & 15;
                k = j * 1000 + i;
            }
    return k;
}

void in_rows(int rows, int cols, const double A[restrict rows][cols], int K[restrict rows], double M[restrict rows])
{
    for (int j = 0; j < rows; ++j) {
        double m = 0.125;
        int k = 0;
        for (int i = 0; i < cols; ++i)
            if (A[j][i] > m) {
                m = A[j][i];
                k = i;
            }
        K[j] = k;
        M[j] = m;
    }
}

int last_positive(int cols, const float A[restrict cols])
{
    int k = -1;
    for (int i = 0; i < cols; ++i)
        if (A[i] > 0)
            k = i;
    return k;
}

double value_of_last(int cols, const double A[restrict cols], const int C[restrict cols])
{
    double v = 0.5;
    for (int i = 0; i < cols; ++i)
        if (C[i] % 3 == 0)
            v = A[i] * 2;
    return v;
}

int any_and_all(int cols, const int A[restrict cols])
{
    int any = 0, all = 1;
    for (int i = 0; i < cols; ++i) {
        if (A[i] == 3)
            any = 1;
        if (A[i] < 0)
            all = 0;
    }
    return 2 * any + all;
}

double guarded(int cols, const double A[restrict cols], const int C[restrict cols])
{
    double m = 3;
    int k = -1;
    for (int i = 0; i < cols; ++i)
        if (C[i] > 0) {
            if (A[i] < m) {
                m = A[i];
                k = i;
            }
        }
    return m + k;
}

double both_ends(int cols, const double A[restrict cols])
{
    double low = 1, high = -1;
    int first = 0, last = 0;
    for (int i = 0; i < cols; ++i) {
        if (A[i] < low) {
            low = A[i];
            first = i;
        }
        if (A[i] > high) {
            high = A[i];
            last = i;
        }
    }
    return low * 3 + high + first - last;
}

float two_at_a_time(int n, const float A[restrict 2 * n])
{
    float m = 1;
    int k = -1;
    for (int i = 0; i < n; ++i) {
        if (A[2 * i] < m) {
            m = A[2 * i];
            k = 2 * i;
        }
        if (A[2 * i + 1] < m) {
            m = A[2 * i + 1];
            k = 2 * i + 1;
        }
    }
    return m * k;
}

int counting_down(int cols, const short A[restrict cols])
{
    short m = 32767;
    int k = -1;
    for (int i = cols - 1; i >= 0; --i)
        if (A[i] < m) {
            m = A[i];
            k = i;
        }
    return k;
}

int over_inner_loop(int rows, int cols, const double A[restrict rows][cols])
{
    double m = 1e9;
    int k = -1;
    for (int j = 0; j < rows; ++j) {
        double s = 0;
        for (int i = 0; i < cols; ++i)
            s += A[j][i];
        if (s < m) {
            m = s;
            k = j;
        }
    }
    return k;
}

int first_place(int cols, const int A[restrict cols])
{
    int first = -1;
    for (int i = 0; i < cols; ++i)
        if ((A[i] & 3) == 2 && first < 0)
            first = i;
    return first;
}

double first_of_plane(int rows, int cols, const double A[restrict rows][cols])
{
    int found = 0;
    double value = -7;
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            if (A[j][i] > 1.5 && !found) {
                found = 1;
                value = A[j][i];
            }
    return value + found;
}
