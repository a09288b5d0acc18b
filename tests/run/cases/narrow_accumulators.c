/* Accumulators of narrow types that take in wider and narrower numbers. */
// brushes: 8 16 3 2x8
unsigned char differ(int n, unsigned p, const unsigned char d[n])
{
    unsigned char acc = 0;
    for (int k = 0; k < n; k++)
        acc |= d[k] ^ p;
    return acc;
}
short sum(int n, const unsigned char d[n])
{
    short acc = 3;
    for (int k = 0; k < n; k++)
        acc += d[k];
    return acc;
}
signed char products(int n, const unsigned d[n])
{
    signed char acc = 1;
    for (int k = 0; k < n; k++)
        acc *= d[k] | 1;
    return acc;
}
short either(int n, const int d[n])
{
    short acc = 0;
    for (int k = 0; k < n; k++)
        if (d[k] & 1)
            acc += (d[k] & 255) * 3;
        else
            acc -= d[k] >> 8;
    return acc;
}
int of_long(int n, const unsigned long d[n])
{
    unsigned acc = 0;
    for (int k = 0; k < n; k++)
        acc = acc - d[k];
    return acc;
}
unsigned short all(int n, const unsigned d[n])
{
    unsigned short acc = 0xffff;
    for (int k = 0; k < n; k++)
        acc &= d[k] | 1024;
    return acc;
}
short least(int n, const unsigned char d[n])
{
    short acc = 300;
    for (int k = 0; k < n; k++)
        acc = d[k] < acc ? d[k] : acc;
    return acc;
}
unsigned short most(int n, const int d[n])
{
    unsigned short acc = 0;
    for (int k = 0; k < n; k++)
        if ((d[k] & 0xffff) > acc)
            acc = d[k] & 0xffff;
    return acc;
}
int any(int n, const int d[n])
{
    _Bool acc = 0;
    for (int k = 0; k < n; k++)
        acc |= d[k] & 6;
    return acc;
}
int every(int n, const int d[n])
{
    _Bool acc = 1;
    for (int k = 0; k < n; k++)
        acc &= d[k] | (k < 9);
    return acc;
}
void rows(int n, int m, const int A[restrict n][m], unsigned char B[restrict n])
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            B[j] ^= A[j][i] >> 3;
}
