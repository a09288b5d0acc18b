/* {"function": "f9", "scalars": [["n", "long"], ["w", "double"], ["p", "int"]], "arrays": [{"name": "A1", "element": "unsigned char", "const": false, "fill": 0}, {"name": "A5", "element": "double", "const": true, "fill": 0}, {"name": "A6", "element": "float", "const": false, "fill": 0}, {"name": "A9", "element": "double", "const": false, "fill": 0}, {"name": "A10", "element": "float", "const": false, "fill": 0}, {"name": "A14", "element": "unsigned long", "const": true, "fill": 0}, {"name": "A18", "element": "signed char", "const": true, "fill": 0}, {"name": "A21", "element": "float", "const": true, "fill": 0}, {"name": "A23", "element": "signed char", "const": true, "fill": 0}, {"name": "A24", "element": "int", "const": false, "fill": 2}], "result": null, "plan": "brush=7x3", "target": "avx512", "calls": [{"values": [27.0, 0.1, 1], "reach": {"A1": [55, 714], "A5": [3, 403], "A6": [75, 998], "A9": [33, 428], "A10": [111, 1418], "A14": [3376, 23475], "A18": [205, 1200], "A21": null, "A23": [4, 42], "A24": [2, 26]}, "aliases": {}, "at_end": true, "seed": 10}, {"values": [21.0, 0.1, 0.0], "reach": {"A1": [43, 429], "A5": [3, 310], "A6": [63, 647], "A9": [33, 329], "A10": [87, 851], "A14": [2122, 11580], "A18": [179, 815], "A21": null, "A23": [4, 33], "A24": [2, 20]}, "aliases": {}, "at_end": false, "seed": 11}, {"values": [1.0, -0.1, 1], "reach": {"A1": null, "A5": null, "A6": null, "A9": null, "A10": null, "A14": null, "A18": null, "A21": null, "A23": null, "A24": null}, "aliases": {}, "at_end": true, "seed": 12}, {"values": [24.0, 0.1, 3.0], "reach": {"A1": [25, 563], "A5": [17, 357], "A6": [35, 815], "A9": [17, 379], "A10": [51, 1117], "A14": [2041, 16835], "A18": [40, 999], "A21": [0, 11], "A23": [4, 38], "A24": [1, 23]}, "aliases": {}, "at_end": false, "seed": 13}]} */
#include <math.h>
void f9(long n, double w, int p, unsigned char A1[restrict n][n], const double A5[restrict 27][15], float (*restrict A6)[n + 10], double A9[restrict 27][16], float *restrict A10, const unsigned long *restrict A14, const signed char *restrict A18, const float *restrict A21, const signed char A23[restrict n][n], int *restrict A24)
{
    for (int i2 = n - 1; i2 >= 1; i2 -= 2) {
        for (int i3 = 1; i3 < n / 2; ++i3) {
            long s7 = ((int)i3 + (3 + 3));
            if (((double)i3 <= A5[(i2 & 7)][i3 + 2])) continue;
            A9[i2][i3] = (A10[(2 * i2) * n + i3 + 2] + A6[i2][3 * i3]);
            if (p > 2) {
                int k11 = 0;
                A1[i2][i3] |= (1L & A18[(i2) * (n + 14) + i3 + i2]);
                int lo19 = 0, hi20 = 13;
                while (lo19 < hi20) {
                    int mid22 = (lo19 + hi20) / 2;
                    if (A21[mid22] < A21[i3]) lo19 = mid22 + 1; else hi20 = mid22;
                }
                s7 = lo19;
            }
            A1[i2][i3] = ((s7 | A14[((i2 + 2) * (n + 3) + i2 + 3) * n + i3]));
        }
    }
}
