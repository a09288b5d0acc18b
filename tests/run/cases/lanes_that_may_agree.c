/* Index arithmetic that lanes have in common only sometimes: loops that start anywhere, wrap, count down, and use narrower types. */
// brushes: 8 4x8 3x5 16 7
// size n: 0..70
// size m: 0..9
// size n0: -40..40
// size u0: 0..40
// length a: 300
// length b: 300
// length t: 300
// values t: 0..99
void from_any_number(int n, int n0, const int *restrict a, int *restrict b)
{
    for (int i = n0; i < n; i++)
        b[i + 50] = a[i + 50] * 3 + i / 8 + i % 16 * 7 + (i >> 3) * 11 + (i & 7) * 13 + (i & ~7);
}

void from_a_negative_multiple(int n, const int *restrict a, int *restrict b)
{
    for (int i = -24; i < n; i++)
        b[i + 50] = a[i + 50] * 3 + i / 8 + i % 16 / 8 * 7 + (i >> 3) * 11 + (i & 8) * 13 + (i & ~7);
}

void from_a_negative_number(int n, const int *restrict a, int *restrict b)
{
    for (int i = -21; i < n; i++)
        b[i + 50] = a[i + 50] * 3 + (i+5) / 8 + (i-3) % 16 / 8 * 7 + ((i-3) >> 3) * 11 + ((i+5) & 8) * 13;
}

void unsigned_from_any_number(unsigned n, unsigned u0, const unsigned *restrict a, unsigned *restrict b)
{
    for (unsigned i = u0; i < n; i++)
        b[i] = a[i] * 3 + (i - u0) / 8 + (i - u0) % 16 * 7 + (i - 8) / 8 * 11 + ((i - u0) & 24) * 13;
}

void wrapping(unsigned n, const unsigned *restrict a, unsigned *restrict b)
{
    for (unsigned i = 0; i < n; i++)
        b[i] = a[i] * 3 + (i - 16) / 8 + (i * 536870912u) / 8 + (i * 3 - 24) / 24 + ~i / 8 + (-i) % 8 + (-i)/8;
}

void narrower(int n, const int *restrict a, int *restrict b)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] + (signed char)(i * 8) / 64 + (unsigned char)(i * 4) / 32 + ((short)(i + 32760) >> 3) + (unsigned short)(i + 65528) / 8;
}

void down_below_zero(int n, const int *restrict a, int *restrict b)
{
    for (int i = 32; i > -n; i -= 1)
        b[i + 80] = a[i + 80] + i / 8 * 3 + i % 16 / 8 + (i >> 4) - (i & 32) + (-i / 8) * 5 + (-i >> 3);
}

void every_third(int n, const int *restrict a, int *restrict b)
{
    for (int i = 0; i < 3 * n; i += 3)
        b[i] = a[i] + i / 24 * 3 + i % 48 / 24 + (i + 5) / 24 - (i + 6) / 24 + (i+23)/24;
}

void rows_in_one_index(int m, const int *restrict a, int *restrict b)
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < 32; i++) {
            int k = j * 32 + i;
            b[k] = a[k] + k / 32 * 3 + k % 32 + k / 16 % 2 * 7 + (k & 8) + (k >> 4) + k / 64;
        }
}

void inner_start_that_agrees(int m, const int *restrict a, int *restrict b)
{
    for (int j = 0; j < m; j++)
        for (int i = j & 8; i < 32; i++)
            b[j * 32 + i] = a[i] + i / 8 + (i - (j & 8)) / 8 * 5 + (j & 8);
}

void branches_that_agree(int n, const int *restrict a, const int *restrict t, int *restrict b)
{
    for (int i = 0; i < n; i++) {
        if (i / 8 % 3 == 1) continue;
        int s = 0;
        if (i / 16 > 2) { for (int k = 0; k < i / 16; k++) s += a[k + (i & 48)]; }
        else if (a[i] > 3) s = t[i / 8 * 8 + 1];
        b[i] = s;
    }
}

int last_block(int n, const int *restrict a)
{
    int r = -5, q = 0, mx = -1;
    for (int i = 0; i < n; i++) { if (a[i] > 2) r = i / 8; q += i / 16; if (i / 8 > mx) mx = i / 8; }
    return r * 1000 + q + mx * 77;
}
