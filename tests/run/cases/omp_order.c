/* Iterations that see each other, or share what their thread has of its own, whatever the pragma before the loop promises. */
// brushes: 8 16
// size n: 0..50
// stays scalar
static void count(int *h, int k)
{
#pragma omp atomic
    h[k]++;
}
void atomic_count(int n, const unsigned char x[restrict n], int h[restrict 256])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp atomic update seq_cst
        h[x[i]]++;
    }
}
void atomic_in_a_call(int n, const unsigned char x[restrict n], int h[restrict 256])
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        count(h, x[i]);
}
void atomic_capture(int n, const unsigned char x[restrict n], int h[restrict 256], int o[restrict n])
{
#pragma omp parallel for simd
    for (int i = 0; i < n; i++) {
        int old;
#pragma omp atomic capture
        { old = h[x[i]]; h[x[i]] += 3; }
        o[i] = old;
    }
}
void critical(int n, const unsigned char x[restrict n], int h[restrict 256])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (x[i] > 9) {
#pragma omp critical(table)
            h[x[i]] = h[x[i]] * 3 + i;
        }
}
void ordered_simd(int n, int a[restrict n + 1], const int b[restrict n])
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        int t = b[i] * 3;
#pragma omp ordered simd
        a[i + 1] = a[i] + t;
    }
}
void doacross(int n, int a[restrict n + 1], const int b[restrict n])
{
#pragma omp parallel for ordered(1)
    for (int i = 0; i < n; i++) {
#pragma omp ordered depend(sink: i - 1)
        a[i + 1] = a[i] + b[i];
#pragma omp ordered depend(source)
    }
}
void scan(int n, const int x[restrict n], int o[restrict n], int s)
{
#pragma omp simd reduction(inscan, + : s)
    for (int i = 0; i < n; i++) {
        s += x[i];
#pragma omp scan inclusive(s)
        o[i] = s;
    }
}
void chunks(int n, const int x[restrict n], int h[restrict 64])
{
#pragma omp parallel for schedule(static, 4)
    for (int i = 0; i < n; i++)
        h[i / 4] ^= x[i];
}
void one_thread(int n, const int x[restrict n], int h[restrict 8], int t)
{
#pragma omp parallel for num_threads(1)
    for (int i = 0; i < n; i++)
        h[x[i] & 7] ^= x[i];
#pragma omp parallel for if(t > 5 && t < 3)
    for (int i = 0; i < n; i++)
        h[x[i] & 7] ^= x[i] >> 3;
}
void own_of_thread(int n, const int x[restrict n], int h[restrict 64])
{
#pragma omp parallel
    {
        int mine[64] = {0};
#pragma omp for nowait
        for (int i = 0; i < n; i++)
            mine[x[i] & 63]++;
#pragma omp critical
        for (int k = 0; k < 63; k++)
            h[k + 1] = h[k] + mine[k];
    }
}
void pointer_of_thread(int n, const int x[restrict n], int h[restrict 64])
{
#pragma omp parallel
    {
        int *mine = h + 32;
#pragma omp for
        for (int i = 0; i < n; i++)
            mine[x[i] & 31]++;
    }
}
void callers_threads(int n, const int x[restrict n], int mine[restrict 64])
{
#pragma omp for
    for (int i = 0; i < n; i++)
        mine[x[i] & 63]++;
}
void reduced_array(int n, const int x[restrict n], int h[restrict 8])
{
#pragma omp parallel for reduction(+ : h[:8])
    for (int i = 0; i < n; i++)
        h[x[i] & 7] += x[i];
}
