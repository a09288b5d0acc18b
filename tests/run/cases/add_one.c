/* One more and one less, in vectors that fill registers and in others. */
// brushes: 2 3 8 16 64
void ints(int n, const int a[n], const long b[n], int c[n], long d[n])
{
    for (int i = 0; i < n; ++i) {
        c[i] = (a[i] + 1) * a[i] - (a[i] - 1);
        d[i] = (b[i] + 1) * b[i] - (b[i] - 1);
    }
}

void narrow(int n, const short a[n], const char b[n], short c[n], char d[n])
{
    for (int i = 0; i < n; ++i) {
        c[i] = a[i] + 1;
        d[i] = b[i] - 1;
    }
}
