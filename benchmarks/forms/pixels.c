/* Bytes and shorts: averages, differences, saturation, products, sums, packing, channels. */
#include <stdlib.h>
typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;

void average(int n, const u8 a[restrict n], const u8 b[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (a[i] + b[i] + 1) >> 1;
}

void average_of_three(int n, const u8 a[restrict n + 2], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (a[i] + 2 * a[i + 1] + a[i + 2] + 2) >> 2;
}

void saturated_sum(int n, const u8 a[restrict n], const u8 b[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++) {
        int s = a[i] + b[i];
        o[i] = s > 255 ? 255 : s;
    }
}

void saturated_difference(int n, const u8 a[restrict n], const u8 b[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = a[i] > b[i] ? a[i] - b[i] : 0;
}

void saturated_shorts(int n, const short a[restrict n], const short b[restrict n], short o[restrict n])
{
    for (int i = 0; i < n; i++) {
        int s = a[i] + b[i];
        o[i] = s > 32767 ? 32767 : s < -32768 ? -32768 : s;
    }
}

void absolute_difference(int n, const u8 a[restrict n], const u8 b[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = abs(a[i] - b[i]);
}

void sum_of_absolute_differences(int n, const u8 a[restrict n], const u8 b[restrict n], int o[restrict 1])
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += abs(a[i] - b[i]);
    o[0] = s;
}

void sum_of_squared_differences(int n, const u8 a[restrict n], const u8 b[restrict n], int o[restrict 1])
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += (a[i] - b[i]) * (a[i] - b[i]);
    o[0] = s;
}

void sum_of_bytes(int n, const u8 a[restrict n], unsigned o[restrict 1])
{
    unsigned s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    o[0] = s;
}

void sum_of_shorts(int n, const short a[restrict n], long o[restrict 1])
{
    long s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    o[0] = s;
}

void dot_of_bytes(int n, const u8 a[restrict n], const s8 b[restrict n], int o[restrict 1])
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    o[0] = s;
}

void dot_of_unsigned_bytes(int n, const u8 a[restrict n], const u8 b[restrict n], unsigned o[restrict 1])
{
    unsigned s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    o[0] = s;
}

void dot_of_shorts(int n, const short a[restrict n], const short b[restrict n], int o[restrict 1])
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    o[0] = s;
}

void largest(int n, const u8 a[restrict n], u8 o[restrict 1])
{
    u8 s = 0;
    for (int i = 0; i < n; i++)
        s = a[i] > s ? a[i] : s;
    o[0] = s;
}

void count_of_bytes(int n, int k, const u8 a[restrict n], int o[restrict 1])
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] > (k & 255);
    o[0] = s;
}

void wide_products(int n, const u8 a[restrict n], const u8 b[restrict n], u16 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = a[i] * b[i];
}

void high_products(int n, const short a[restrict n], const short b[restrict n], short o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (a[i] * b[i]) >> 16;
}

void rounded_products(int n, const short a[restrict n], const short b[restrict n], short o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (a[i] * b[i] + 0x4000) >> 15;
}

void blend(int n, int w, const u8 a[restrict n], const u8 b[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (a[i] * (w & 255) + b[i] * (255 - (w & 255))) >> 8;
}

void blend_by_byte(int n, u8 w, const u8 a[restrict n], const u8 b[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (a[i] * w + b[i] * (255 - w) + 127) >> 8;
}

void alpha_blend(int n, const u8 w[restrict n], const u8 a[restrict n], const u8 b[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (a[i] * w[i] + b[i] * (255 - w[i])) >> 8;
}

void alpha_blend_exactly(int n, const u8 w[restrict n], const u8 a[restrict n], const u8 b[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (a[i] * w[i] + b[i] * (255 - w[i]) + 127) / 255;
}

void grey(int n, const u8 p[restrict 3 * n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (77 * p[3 * i] + 150 * p[3 * i + 1] + 29 * p[3 * i + 2] + 128) >> 8;
}

void grey_of_four(int n, const u8 p[restrict 4 * n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (77 * p[4 * i] + 150 * p[4 * i + 1] + 29 * p[4 * i + 2]) >> 8;
}

void packed_shorts(int n, const short a[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = a[i] < 0 ? 0 : a[i] > 255 ? 255 : a[i];
}

void packed_words(int n, const int a[restrict n], short o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = a[i] < -32768 ? -32768 : a[i] > 32767 ? 32767 : a[i];
}

void low_bytes(int n, const u16 a[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = a[i] >> 8;
}

void unpacked_to_shorts(int n, const u8 a[restrict n], short o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = a[i] << 4;
}

void unpacked_to_floats(int n, const u8 a[restrict n], float o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = a[i] * (1.0f / 256);
}

void threshold(int n, int k, const u8 a[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = a[i] > (k & 255) ? 255 : 0;
}

void between(int n, const u8 a[restrict n], const u8 b[restrict n], const u8 c[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++) {
        u8 t = a[i] > b[i] ? a[i] : b[i];
        o[i] = t < c[i] ? t : c[i];
    }
}

void to_planes(int n, const u8 p[restrict 3 * n], u8 r[restrict n], u8 g[restrict n], u8 b[restrict n])
{
    for (int i = 0; i < n; i++) {
        r[i] = p[3 * i];
        g[i] = p[3 * i + 1];
        b[i] = p[3 * i + 2];
    }
}

void from_planes(int n, const u8 r[restrict n], const u8 g[restrict n], const u8 b[restrict n], u8 p[restrict 3 * n])
{
    for (int i = 0; i < n; i++) {
        p[3 * i] = r[i];
        p[3 * i + 1] = g[i];
        p[3 * i + 2] = b[i];
    }
}

void red_and_blue_swapped(int n, const u8 p[restrict 3 * n], u8 o[restrict 3 * n])
{
    for (int i = 0; i < n; i++) {
        o[3 * i] = p[3 * i + 2];
        o[3 * i + 1] = p[3 * i + 1];
        o[3 * i + 2] = p[3 * i];
    }
}

void without_alpha(int n, const u8 p[restrict 4 * n], u8 o[restrict 3 * n])
{
    for (int i = 0; i < n; i++) {
        o[3 * i] = p[4 * i];
        o[3 * i + 1] = p[4 * i + 1];
        o[3 * i + 2] = p[4 * i + 2];
    }
}

void reversed(int n, const u8 a[restrict n], u8 o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = a[n - 1 - i];
}
