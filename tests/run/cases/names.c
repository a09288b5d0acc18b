/* Parameters with names that generated code might give to its own values and blocks. */
// brushes: 8 5
// size n: 0..20
void labels(int n, const int start[restrict n], const int entry[restrict n], int step[restrict n])
{
    for (int i = 0; i < n; ++i)
        if (start[i] > 0)
            step[i] = start[i] - entry[i];
}

void values(int n, const int v1[restrict n], const int v2[restrict n], int v3[restrict n], int v9)
{
    for (int i = 0; i < n; ++i)
        v3[i] = v1[i] ^ v2[i] ^ v9;
}
