/* Arithmetic of C on bytes and shorts, in ints: averages, differences, saturation, products, pixels. */
// brushes: 64 32 8 16
#include <stdlib.h>
typedef unsigned char u8;

void average(int n, const u8 a[restrict n], const u8 b[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (a[i] + b[i] + 1) >> 1;
}

int differences(int n, const u8 a[restrict n], const u8 b[restrict n])
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += abs(a[i] - b[i]);
    return s;
}

void grey(int n, const u8 p[restrict 3 * n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (77 * p[3 * i] + 150 * p[3 * i + 1] + 29 * p[3 * i + 2] + 128) >> 8;
}

void saturated(int n, const u8 a[restrict n], const signed char b[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++) {
        int s = a[i] + 2 * b[i];
        o[i] = s > 255 ? 255 : s < 0 ? 0 : s;
    }
}

void absolute(int n, const u8 a[restrict n], const u8 b[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
}

void blended(int n, int w, const u8 a[restrict n], const u8 b[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (a[i] * (w & 255) + b[i] * (256 - (w & 255))) >> 8;
}

void scaled(int n, const short a[restrict n], const short b[restrict n], short o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (a[i] * b[i] + 0x4000) >> 15;
}

void mixed(int n, const short a[restrict n], const u8 b[restrict n], unsigned short o[restrict n], float f[restrict n])
{
    for (int i = 0; i < n; i++) {
        o[i] = (unsigned short)(a[i] - b[i] * 3) >> 2;
        f[i] = (b[i] * b[i] - 7) >> 1;
    }
}

void signed_averages(int n, const signed char a[restrict n], const signed char b[restrict n], signed char o[restrict n], short p[restrict n])
{
    for (int i = 0; i < n; i++) {
        o[i] = (a[i] + b[i] + 1) >> 1;
        p[i] = (a[i] + b[i]) >> 1;
    }
}

void within_bytes(int n, const signed char a[restrict n], const signed char b[restrict n], signed char o[restrict n], u8 p[restrict n])
{
    for (int i = 0; i < n; i++) {
        int s = a[i] + b[i], d = (u8)a[i] - (u8)b[i];
        o[i] = s > 127 ? 127 : s < -128 ? -128 : s;
        p[i] = d < 0 ? 0 : d;
    }
}

void within_shorts(int n, const short a[restrict n], const short b[restrict n], short o[restrict n], unsigned short p[restrict n])
{
    for (int i = 0; i < n; i++) {
        int s = a[i] - b[i], t = (unsigned short)a[i] + (unsigned short)b[i];
        o[i] = s < -32768 ? -32768 : s < 32768 ? s : 32767;
        p[i] = t < 65536 ? t : 65535;
    }
}

void blended_by_bytes(int n, const u8 w[restrict n], const u8 a[restrict n], const u8 b[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (a[i] * w[i] + b[i] * (255 - w[i]) + 127) / 255;
}
