/* Every clause of `omp simd` that says something about variables, on loops that do what it says. */
// brushes: 8 16 3
// size n: 0..60
int private_and_linear(int n, const int a[restrict n], int b[restrict n])
{
    int t, k = 5, j = 7;
    #pragma omp simd private(t) linear(k: 2) linear(j: -1) simdlen(8) safelen(64)
    for (int i = 0; i < n; i++) {
        t = a[i] & 1023;
        b[i] = t * k - j;
        k += 2;
        j--;
    }
    return k * 100 + j;
}
int last_values(int n, const int a[restrict n], const int c[restrict n], int b[restrict n])
{
    int last = 3, some = -1;
    #pragma omp simd lastprivate(last) lastprivate(conditional: some)
    for (int i = 0; i < n; i++) {
        last = a[i] ^ i;
        if (c[i] > 0)
            some = a[i];
        b[i] = last;
    }
    return last + 31 * some;
}
int reduced(int n, const int a[restrict n], const int c[restrict n])
{
    int most = -5, least = 5, sum = 1, any = 0, all = 1;
    unsigned x = 9, y = ~0u, z = 0, product = 1;
    #pragma omp simd reduction(max: most) reduction(min: least) reduction(+: sum) reduction(^: x) reduction(&: y) \
        reduction(|: z) reduction(*: product) reduction(||: any) reduction(&&: all)
    for (int i = 0; i < n; i++) {
        most = a[i] > most ? a[i] : most;
        least = a[i] < least ? a[i] : least;
        sum += a[i] & 255;
        x ^= a[i];
        y &= c[i] | 3;
        z |= c[i] & 12;
        product *= c[i] | 1;
        any = any || a[i] == c[i];
        all = all && a[i] != c[i] + 1;
    }
    return (most ^ least) + sum + (int)(x + y * 3 + z * 5 + product) + any * 2 + all;
}
void promised(int n, const double p[restrict n], double q[restrict n], const unsigned k[restrict n])
{
    #pragma omp simd aligned(p, q: 8) order(concurrent) if(1)
    for (int i = 0; i < n; i++)
        q[i] = p[i] * (k[i] & 7);
}
void collapsed(int n, double grid[restrict n][n], const int c[restrict n])
{
    #pragma omp simd collapse(2) nontemporal(grid)
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            grid[j][i] += c[i] > c[j] ? 1 : i - j;
}
