/* {"function": "f15", "scalars": [["n", "int"], ["m", "int"]], "arrays": [{"name": "A1", "element": "float", "const": false, "fill": 0}, {"name": "A6", "element": "signed char", "const": true, "fill": 0}, {"name": "A7", "element": "float", "const": true, "fill": 0}, {"name": "A11", "element": "float", "const": true, "fill": 0}], "result": null, "plan": "brush=2x1 tail=peel register_bits=256", "target": "avx2", "calls": [{"values": [11.0, 9.0], "reach": {"A1": [44, 218], "A6": [0, 524], "A7": [884, 5706], "A11": [201, 984]}, "aliases": {}, "at_end": false, "seed": 4}, {"values": [9.0, 6.0], "reach": {"A1": [36, 142], "A6": [0, 279], "A7": [748, 4013], "A11": [111, 429]}, "aliases": {}, "at_end": true, "seed": 7}]} */
#include <math.h>
#include <stddef.h>
static inline double blend(double a, double b, double w) { return a * w + b * (1.0 - w); }
void f15(int n, int m, float (*restrict A1)[2 * n], const signed char A6[restrict 2 * n][3 * m], const float A7[restrict n + 4][34][n + 2], const float A11[restrict m + 3][n][m])
{
    for (size_t i2 = (n - 2); i2 > 1; i2--) {
        int i3 = n;
        while (i3-- > 0) {
            for (int i4 = 0; i4 <= (m + 1); i4 += 1) {
                long s5 = (((unsigned)A6[i3][2 * i4] << 3) / (A6[i3 + 1][i4] | 1));
                A1[i2][2 * i3] -= (((A1[i2][2 * i3] + A1[i2][2 * i3]) / (A7[i2][i3][i4] + (double)i2)) - ((A7[i2 + 3][3 * i3][i4 + 2] * (double)i2) + ((double)i3 * (double)i2)));
            }
            for (int i8 = 0; i8 < n; ++i8) {
                float s9 = -(double)i8;
                signed char s10 = (((int)i8 | A6[i3 + i2][i8 + 1]) >> 1);
                A1[i2][2 * i3] = ((s9 - A7[i2][i3][i8]) + blend(A7[i2][3][i8], s9, A11[i2][i3][3]));
            }
        }
    }
}
