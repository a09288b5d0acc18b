/* Loops that end early. */

void until(int n, int k, const double a[restrict n], double b[restrict n])
{
    for (int i = 0; i < n; i++) {
        if (i >= k)
            break;
        b[i] = a[i] + 1;
    }
}

void to_first_negative(int n, const double a[restrict n], double b[restrict n])
{
    for (int i = 0; i < n; i++) {
        if (a[i] < -1e300)
            break;
        b[i] = a[i] + 1;
    }
}

int sum_to_first_negative(int n, const int a[restrict n])
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] == -2147483647)
            break;
        s += a[i];
    }
    return s;
}
