/* Bodies with goto, switch that falls through, and loops left in several ways. */
// brushes: 8 4x8 3
// size n: 0..37
void collatz(int n, const unsigned short A[restrict n], int B[restrict n])
{
    for (int i = 0; i < n; i++) {
        unsigned x = A[i];
        int s = 0;
    again:
        if (s >= 40 || x <= 1)
            goto out;
        s++;
        if (x & 1) {
            x = 3 * x + 1;
            goto again;
        }
        x >>= 1;
        if (x & 64)
            goto early;
        goto again;
    early:
        s += 1000;
    out:
        B[i] = s;
    }
}

void cases(int rows, int cols, const int A[restrict rows][cols], int B[restrict rows][cols])
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < cols; i++) {
            int x = A[j][i], s = 0;
            switch (x & 7) {
            case 0:
                s = 1;
            case 1:
                s += 2;
                break;
            case 5:
                if (x > 100) {
            case 6:
                    s = 7;
                    break;
                }
                s = 9;
            default:
                do {
                    s++;
                    if (s == 12)
                        continue;
                    x >>= 3;
                } while (x & 1);
            }
            B[j][i] = s;
        }
}
