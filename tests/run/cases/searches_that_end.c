/* The bound of a search may be behind the end of the array, when what is searched is always found before. */
// brushes: 8 16
// size n: 0..200
// length s: 3
// values s: 5..5
// stays scalar
int first_five(int n, const int *restrict s)
{
    int r = -1;
    for (int i = 0; i < n; i++)
        if (s[i] == 5) {
            r = i;
            break;
        }
    return r;
}
