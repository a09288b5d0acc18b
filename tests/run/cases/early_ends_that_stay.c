/* Loops that end early, where the end depends on what is stored or carried, or elements may not exist. */
// stays scalar
// brushes: 16 5
// size n: 0..100
// length out: n
// length open: n
// values w: 0..60
// values open: 0..60
int until_full(int n, const int w[restrict n], int out[restrict n])
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (s > 200)
            break;
        s += w[i];
        out[i] = w[i];
    }
    return s;
}

void in_place(int n, int w[restrict n])
{
    for (int i = 1; i < n; i++) {
        if (w[i - 1] == 9)
            break;
        w[i] = w[i] / 2;
    }
}

void open_end(int n, const int *restrict open, int *restrict out)
{
    for (int i = 0; i < n; i++) {
        if (open[i] == 30)
            break;
        out[i] = open[i];
    }
}

void may_overlap(int n, const int w[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        if (w[i] == 30)
            break;
        out[i] = w[i] + 1;
    }
}
