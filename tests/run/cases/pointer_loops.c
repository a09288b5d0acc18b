/* Loops that are counted by pointers. */
// brushes: 8 3 16
// size n: 0..30
// length a: 3*n + 2
// length p: 3*n + 2
// length b: 3*n + 2
// alias end: p + n
// alias end2: p + 2*n
// alias end3: p + 3*n
void fill(int n, float *p, const float *end, float v)
{
    while (p != end)
        *p++ = v;
}

void scale(int n, double *restrict a, const double *restrict b)
{
    const double *e = b + n;
    for (const double *q = b; q < e; q++)
        *a++ = *q * 2;
}

int sum(int n, const int *p, const int *end)
{
    int s = 0;
    for (; p < end; ++p)
        s += *p;
    return s;
}

void downwards(int n, short *a)
{
    short *q = a + n;
    while (q-- > a)
        *q += 3;
}

void to_the_first(int n, int *a)
{
    for (int *q = a + n - 1; q >= a; q--)
        *q ^= 5;
}

void pairs(int n, const float *restrict p, const float *restrict end2, float *restrict b)
{
    for (; p < end2; p += 2)
        *b++ = p[0] * p[1];
}

void triples(int n, const unsigned char *restrict p, const unsigned char *restrict end3, unsigned char *restrict a)
{
    for (; end3 > p; p += 3)
        *a++ = (p[0] + p[1] + p[2]) / 3;
}

struct rgb { unsigned char r, g, b; };

int grey(int n, const struct rgb *restrict p, const struct rgb *restrict end3, unsigned char *restrict a)
{
    const struct rgb *first = p;
    for (; p < end3; p++)
        a[p - first] = (unsigned char)((p->r + p->g + p->b) / 3);
    return (int)(p - first);
}

void shifted(int n, const double *restrict a, double *restrict b)
{
    const double *q = a - 1, *last = a + n;
    while (++q < last)
        *b++ = -*q;
}

void leaves_first(int n, double *restrict a, const double *restrict b)
{
    const double *e = b + n;
    for (;;) {
        if (b == e)
            break;
        *a++ = *b++ + 1;
    }
}
