/* Minima, maxima and their places of integers that are promoted to int for the comparison. */
// brushes: 8 16 3
// size n: 0..40
short least(int n, const short a[restrict n]) { short m = 100; for (int i = 0; i < n; i++) if (a[i] < m) m = a[i]; return m; }
short chosen(int n, const short a[restrict n]) { short m = 100; for (int i = 0; i < n; i++) m = a[i] < m ? a[i] : m; return m; }
int place(int n, const signed char a[restrict n])
{
    signed char m = 100;
    int k = -1;
    for (int i = 0; i < n; i++)
        if (a[i] < m) {
            m = a[i];
            k = i;
        }
    return k * 1000 + m;
}
unsigned char most(int n, const unsigned char a[restrict n])
{
    unsigned char m = 0;
    for (int i = 0; i < n; i++)
        m = m > a[i] ? m : a[i];
    return m;
}
int last_place(int n, const unsigned short a[restrict n])
{
    unsigned short m = 0;
    short k = -1;
    for (int i = 0; i < n; i++)
        if (a[i] >= m) {
            m = a[i];
            k = i;
        }
    return k * 1000 + m;
}
short of_differences(int n, const short a[restrict n], short t)
{
    short m = -100;
    for (int i = 0; i < n; i++) {
        short v = a[i] - t;
        if (v > m)
            m = v;
    }
    return m;
}
unsigned char of_distances(int n, const unsigned char a[restrict n], const unsigned char b[restrict n])
{
    unsigned char m = 0;
    for (int i = 0; i < n; i++) {
        unsigned char d = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
        if (d > m && a[i] != 7)
            m = d;
    }
    return m;
}
signed char both(int n, const signed char a[restrict n])
{
    signed char low = 127, high = -128;
    for (int i = 0; i < n; i++) {
        if (a[i] < low)
            low = a[i];
        if (a[i] > high)
            high = a[i];
    }
    return low ^ high;
}
int of_words(int n, const int a[restrict n])
{
    short m = 300;
    for (int i = 0; i < n; i++)
        if ((short)a[i] <= m)
            m = a[i];
    return m;
}
