/* avx512 avx2 neon x86-64: where a result is a NaN is promised, its sign only where nothing but -, fabs, copysign and choices touched it */
void NAME(int n, const double *restrict a, const double *restrict b, double *restrict o, double *restrict p, double *restrict q, double *restrict r, double *restrict s, double *restrict t)
{
    for (int i = 0; i < n; i++) {
        o[i] = 0 * a[i] + b[i];
        p[i] = -a[i] * -b[i];
        q[i] = fabs(a[i]) * fabs(a[i]);
        r[i] = fma(-a[i], b[i], -a[i]);
        s[i] = copysign(1.0, -a[i]) + 2 * copysign(1.0, fabs(b[i]));
        t[i] = copysign(a[i], a[i] < b[i] ? -a[i] : copysign(b[i], a[i])) == a[i];
    }
}
