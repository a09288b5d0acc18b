/* neon: comparisons with one number, of iterations and of registers, that become one when any of them counts */
void NAME(int n, const double *restrict a, const double *restrict b, int *restrict o, double *restrict p)
{
    for (int i = 0; i < n; i++) {
        int found = 0;
        for (int k = 0; k < 4; k++)
            found |= a[i + k] < b[i];
        o[i] = found;
        if (a[i] < b[0])
            p[i] = sqrt(b[i] / 3 + 1) / (b[i] + 2) * exp2(b[i]);
        o[i] += !(a[i] < b[i] || b[i + 1] < b[i]);
    }
}
