/* Loops that end early and store or sum up before they do. */
// brushes: 16 8 5
// size n: 0..150
// length out: n
// values w: 0..60
int up_to_a_value(int n, const int w[restrict n], int out[restrict n])
{
    int i;
    for (i = 0; i < n; i++) {
        if (w[i] == 7)
            break;
        out[i] = w[i] * 3 + i;
    }
    return i;
}

int stored_before(int n, const int w[restrict n], const short a[restrict n], short out[restrict n])
{
    for (int i = 0; i < n; i++) {
        out[i] = a[i] + 1;
        if (w[i] > 58)
            return i;
    }
    return -1;
}

int sums(int n, const int w[restrict n], const int a[restrict n])
{
    int s = 0, largest = -1;
    for (int i = 0; i < n; i++) {
        if (w[i] == 11)
            break;
        s += a[i] ^ i;
        if (w[i] > largest)
            largest = w[i];
    }
    return s * 64 + largest;
}

int two_ends(long n, const int w[restrict n], const float a[restrict n], float out[restrict n])
{
    int why = 0;
    for (long i = 0; i < n; i++) {
        if (w[i] == 3) {
            why = 1;
            break;
        }
        out[i] = a[i] * 2;
        if (w[i] == 4) {
            why = (int)i + 2;
            break;
        }
        out[i] += a[i];
    }
    return why;
}

int under_conditions(int n, const int w[restrict n], const double a[restrict n], double out[restrict n])
{
    int i = 0, kept = 0;
    while (i < n) {
        if (a[i] > 0) {
            if (w[i] < 2)
                break;
            out[i] = a[i] / 3;
        } else
            out[i] = 1;
        kept += w[i] & 1;
        i++;
    }
    return kept + i;
}

unsigned downwards(int n, const int w[restrict n], unsigned out[restrict n])
{
    unsigned s = 5;
    for (int i = n - 1; i >= 0; i--) {
        if (w[i] == 20)
            break;
        out[i] = i * 7u;
        s += w[i];
    }
    return s;
}

void by_every_second(int n, const int w[restrict n], int out[restrict n])
{
    for (int i = 1; i < n; i += 2) {
        if (w[i] == 5 || w[i - 1] == 6)
            break;
        out[i] = w[i] + w[i - 1];
    }
}
