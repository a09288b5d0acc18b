/* Variables of which OpenMP gives every iteration its own: arrays, structs, and those whose address is taken. */
// brushes: 8 16 3
// size n: 0..50
struct pair { int low, high; float mean; };
static void put(int *a, int v) { *a = v; }

void private_array(int n, const int x[restrict n], int o[restrict n])
{
    int t[4];
#pragma omp simd private(t)
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++)
            t[k] = x[i] >> k;
        o[i] = t[x[i] & 3] + t[(x[i] + 1) & 3];
    }
}
void private_matrix(int n, const int x[restrict n], int o[restrict n])
{
    int t[3][4], j, k;
#pragma omp parallel for private(t, j, k)
    for (int i = 0; i < n; i++) {
        for (j = 0; j < 3; j++)
            for (k = 0; k < 4; k++)
                t[j][k] = (x[i] ^ k) * j;
        o[i] = t[(unsigned)x[i] % 3][x[i] & 3];
    }
}
void private_structs(int n, const int x[restrict n], float o[restrict n])
{
    struct pair p, several[2];
#pragma omp simd private(p, several)
    for (int i = 0; i < n; i++) {
        p.low = x[i] & 15;
        p.high = x[i] & 240;
        several[x[i] & 1] = p;
        several[~x[i] & 1].low = 3;
        several[~x[i] & 1].high = i;
        p.mean = several[0].low + several[1].high;
        o[i] = p.mean + several[x[i] & 1].low;
    }
}
void private_addressed(int n, const int x[restrict n], int o[restrict n])
{
    int t;
#pragma omp simd private(t)
    for (int i = 0; i < n; i++) {
        put(&t, x[i] * 3);
        o[i] = t + 1;
    }
}
void scratch_of_region(int n, const int x[restrict n], int o[restrict n])
{
#pragma omp parallel
    {
        int t[4];
#pragma omp for
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < 4; k++)
                t[k] = x[i] >> k;
            o[i] = t[x[i] & 3] + t[(x[i] + 1) & 3];
        }
    }
}
void private_of_region(int n, const int x[restrict n], int o[restrict n])
{
    int t[4], k;
#pragma omp parallel private(t) private(k)
#pragma omp for
    for (int i = 0; i < n; i++) {
        for (k = 0; k < 4; k++)
            t[k] = x[i] - k;
        o[i] = t[x[i] & 3];
    }
}
int last_array(int n, const int x[restrict n], int o[restrict n])
{
    int t[4] = {1, 2, 3, 4};
#pragma omp simd lastprivate(t)
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++)
            t[k] = x[i] >> k;
        o[i] = t[x[i] & 3] + t[(x[i] + 1) & 3];
    }
    return t[0] + 3 * t[1] + 5 * t[2] + 7 * t[3];
}
int last_struct(int n, const int x[restrict n], int o[restrict n])
{
    struct pair p = {1, 2, 3};
#pragma omp parallel for lastprivate(p)
    for (int i = 0; i < n; i++) {
        p.low = x[i] & 1023;
        p.high = p.low + i;
        p.mean = p.high;
        o[i] = p.high;
    }
    return p.low + 3 * p.high + (int)p.mean;
}
int first_array(int n, const int x[restrict n], int o[restrict n])
{
    int t[5] = {5, 4, 3, 2, 1};
#pragma omp parallel for firstprivate(t)
    for (int i = 0; i < n; i++)
        o[i] = t[(unsigned)x[i] % 5];
    return t[2];
}
int first_number(int n, const int x[restrict n], int o[restrict n])
{
    int s = 7;
    for (int k = 0; k < 2; k++) {
#pragma omp parallel for firstprivate(s)
        for (int i = 0; i < n; i++)
            o[i] = x[i] * s + k;
    }
    return s;
}
int linear_numbers(int n, const int x[restrict n], int o[restrict 3 * n + 1])
{
    int k = 1;
    const int *p = x;
#pragma omp simd linear(k: 3) linear(p)
    for (int i = 0; i < n; i++) {
        o[k] = *p + k;
        if (x[i] < -1000000000) {
            k += 3;
            p++;
            continue;
        }
        k += 3;
        p++;
    }
    return k;
}
void collapsed(int n, int o[restrict n][n], const int x[restrict n])
{
    int t[2], i, j;
#pragma omp parallel for collapse(2) private(t)
    for (j = 0; j < n; j++)
        for (i = 0; i < n; i++) {
            t[0] = x[i];
            t[1] = x[j];
            o[j][i] = t[x[i] & 1] - t[x[j] & 1];
        }
}
