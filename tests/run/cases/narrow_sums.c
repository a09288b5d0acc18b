/* Sums of bytes, shorts, their products and differences, whose neighbours are added early. */
// brushes: 64 32 8 16 128 2x32
#include <stdlib.h>
typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;

unsigned bytes(int n, const u8 a[restrict n], const s8 b[restrict n], long o[restrict 2])
{
    unsigned s = 7;
    long t = o[0];
    for (int i = 0; i < n; i++) {
        s += a[i];
        t += b[i];
    }
    o[0] = t;
    return s;
}

int signed_bytes(int n, const s8 a[restrict n], unsigned long o[restrict 1])
{
    int s = 0;
    unsigned long t = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        t += (u8)a[i];
    }
    o[0] = t;
    return s;
}

int shorts(int n, const short a[restrict n], const u16 b[restrict n], long o[restrict 2])
{
    int s = -3;
    long t = 0, u = 1;
    for (int i = 0; i < n; i++) {
        s += a[i] + b[i];
        t += a[i];
        u += b[i];
    }
    o[0] = t;
    o[1] = u;
    return s;
}

unsigned products(int n, const s8 a[restrict n], const short b[restrict n], unsigned o[restrict 5])
{
    unsigned s = 0, t = 0, u = 0, v = 0, w = 0;
    for (int i = 0; i < n; i++) {
        s += a[i] * (u8)a[i];
        t += (u8)a[i] * (u8)a[i];
        u += b[i] * b[i];
        v += (unsigned)(u16)b[i] * (u16)b[i];
        w += b[i] * (u8)a[i] + a[i];
    }
    o[0] = t;
    o[1] = u;
    o[2] = v;
    o[3] = w;
    return s;
}

int filtered(int n, const u8 a[restrict n], const short b[restrict n], const s8 c[restrict n], int o[restrict 3])
{
    int s = 0, t = 0, u = 0, v = 0;
    for (int i = 0; i < n; i++) {
        s += a[i] * b[i];
        t += c[i] * c[i];
        u += b[i] * c[i];
        v += c[i] * a[i];
    }
    o[0] = t;
    o[1] = u;
    o[2] = v;
    return s;
}

long wide_products(int n, const s8 a[restrict n], const short b[restrict n], long o[restrict 1])
{
    long s = 0, t = 0;
    for (int i = 0; i < n; i++) {
        s += a[i] * (u8)a[i];
        t += b[i] * b[i];
    }
    o[0] = t;
    return s;
}

int differences(int n, const u8 a[restrict n], const s8 b[restrict n], int o[restrict 2])
{
    int s = 0, t = 0, u = 0;
    for (int i = 0; i < n; i++) {
        int d = a[i] - (u8)b[i];
        s += abs(d);
        t += d * d;
        u += abs((s8)a[i] - b[i]);
    }
    o[0] = t;
    o[1] = u;
    return s;
}

int counted(int n, int k, const u8 a[restrict n], const short b[restrict n], int o[restrict 2])
{
    int s = 0, t = 0, u = 0;
    for (int i = 0; i < n; i++) {
        s += a[i] > (k & 127);
        t += b[i] == 0;
        if (a[i] & 1)
            u += b[i];
    }
    o[0] = t;
    o[1] = u;
    return s;
}

int two_addends(int n, const u8 a[restrict n], const u8 b[restrict n])
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i] * b[i];
        s += a[i];
        s += abs(a[i] - b[i]);
    }
    return s;
}

void rows(int m, int n, const u8 a[restrict m][n], const u8 b[restrict m][n], int o[restrict m])
{
    for (int j = 0; j < m; j++) {
        int s = 0;
        for (int i = 0; i < n; i++)
            s += abs(a[j][i] - b[j][i]);
        o[j] = s;
    }
}

int all_rows(int m, int n, const u8 a[restrict m][n])
{
    int s = 0;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            s += a[j][i];
    return s;
}
