/* Subscripts that are the same for some iterations in a row, or that repeat. */

void by_4(int n, const float t[restrict n], const float a[restrict n], float b[restrict n])
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] * t[i / 4];
}

void by_8(int n, const float t[restrict n], const float a[restrict n], float b[restrict n])
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] * t[i / 8];
}

void by_3(int n, const float t[restrict n], const float a[restrict n], float b[restrict n])
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] * t[i / 3];
}

void of_8(int n, const float t[restrict 8], const float a[restrict n], float b[restrict n])
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] * t[i % 8];
}
