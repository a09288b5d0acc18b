/* Loops that stop asking, where what they would ask for does not exist. */
// stays scalar
// brushes: 8 3
// size n: 1..60
// length a: n
// values a: -40..40
int first_of_all(int n, const int a[restrict n])
{
    int first = -1;
    for (int i = 0; i < 4 * n; i++)
        if (first < 0 && a[i] > -1000)
            first = i;
    return first;
}
int any_place(int n, const int a[restrict n], const unsigned b[restrict n])
{
    int any = 0;
    for (int i = 0; i < n; i++)
        any = any || a[i + (any ? b[i] : 0)] != 4;
    return any;
}
int not_by_zero(int n, const int a[restrict n])
{
    int any = 0, d = 1;
    for (int i = 0; i < n; i++)
        any = any || a[i] / (1 - any) < 1 << 30;
    return any + d;
}
