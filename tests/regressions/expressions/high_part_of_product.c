/* avx512 avx2 x86-64: vpmulhw for products of 16 bits, shifted on without their sign */
void NAME(int n, const short *restrict a, const signed char *restrict b, short *restrict o, unsigned short *restrict p, short *restrict q)
{
    for (int i = 0; i < n; i++) {
        o[i] = (long)a[i] * a[i + 1] >> 29;
        p[i] = (long)a[i] * b[i] >> 17;
        q[i] += (short)((long)b[i] * -100 >> 20);
    }
}
