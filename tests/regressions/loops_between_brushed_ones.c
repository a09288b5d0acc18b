/* {"function": "f9", "scalars": [["n", "size_t"], ["m", "int"]], "arrays": [{"name": "A7", "element": "float", "const": false, "fill": 0}, {"name": "A9", "element": "int", "const": true, "fill": 0}, {"name": "A10", "element": "float", "const": false, "fill": 0}, {"name": "A13", "element": "long", "const": false, "fill": 0}], "result": null, "plan": "brush=i2=8,i5=5 projection=1,0 tail=mask boscc=all register_bits=128 assume_no_alias=yes", "target": "native", "calls": [{"values": [3.0, 7.0], "reach": {"A7": [10, 2311], "A9": [5, 79], "A10": [12, 158], "A13": null}, "aliases": {}, "at_end": true, "seed": 4}, {"values": [1.0, 2.0], "reach": {"A7": null, "A9": [3, 3], "A10": null, "A13": null}, "aliases": {}, "at_end": false, "seed": 5}, {"values": [3.0, 0.0], "reach": {"A7": null, "A9": null, "A10": null, "A13": null}, "aliases": {}, "at_end": true, "seed": 6}, {"values": [0.0, 5.0], "reach": {"A7": null, "A9": null, "A10": null, "A13": null}, "aliases": {}, "at_end": false, "seed": 7}]} */
#include <math.h>
#include <stddef.h>
#define MIN(a, b) ((a) < (b) ? (a) : (b))
static inline double blend(double a, double b, double w) { return a * w + b * (1.0 - w); }
void f9(size_t n, int m, float A7[restrict m][3 * m][3 * m], const int *restrict A9, float A10[restrict 3][6][9], long *restrict A13)
{
    for (short i2 = 0; i2 < MIN(m, n); i2++) {
        if ((A9[((i2) * (m + 1) + i2 + 1) * (n + 1) + i2 + 1] != i2)) {
            for (int i3 = (m - 1) - 1; i3 >= 1; i3--) {
                for (int i4 = 5; i4 > 2; --i4) {
                    if ((A7[i2][i3][i4] >= A7[i2][i4][i3])) {
                        for (int i5 = n / 2 - 1; i5 >= 0; i5--) {
                            float s6 = ((A7[i3][i4][i5 + 1] * -1.0f) * -((double)i5));
                        }
                    }
                    A10[i2][i3][i4] = blend(A7[2 * i2][3 * i3][i4 / 2], A7[i2][i3][i4], A7[i2][i3 / 2][3 * i4 + 1]);
                }
            }
        } else {
            A13[i2] = (0 - (int)i2);
        }
    }
}
