/* Channels of four in registers that are full of bytes: copied in another order, and computed with. */
// brushes: 64 32 16 128
// size n: 57..200
typedef unsigned char u8;

void without_alpha(int n, const u8 p[restrict 4 * n], u8 o[restrict 3 * n])
{
    for (int i = 0; i < n; i++) {
        o[3 * i] = p[4 * i];
        o[3 * i + 1] = p[4 * i + 1];
        o[3 * i + 2] = p[4 * i + 2];
    }
}

void permuted(int n, const u8 p[restrict 4 * n], u8 o[restrict 4 * n])
{
    for (int i = 0; i < n; i++) {
        o[4 * i] = p[4 * i + 3];
        o[4 * i + 1] = p[4 * i];
        o[4 * i + 2] = p[4 * i + 2];
        o[4 * i + 3] = p[4 * i];
    }
}

void weighted(int n, const u8 p[restrict 4 * n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (61 * p[4 * i] + 30 * p[4 * i + 1] + 155 * p[4 * i + 3]) >> 8;
}
