/* {"function": "f15", "scalars": [["m", "int"]], "arrays": [{"name": "A1", "element": "int", "const": false, "fill": 0}, {"name": "A6", "element": "long", "const": true, "fill": 0}], "result": null, "plan": "brush=2", "target": "native", "calls": [{"values": [1.0], "reach": {"A1": [12, 12], "A6": [0, 0]}, "aliases": {}, "at_end": true, "seed": 2}]} */
#include <math.h>
void f15(int m, int A1[restrict 16], const long *restrict A6)
{
    int i2 = 1;
    while (i2-- > 0) {
        A1[12 - i2] = A6[i2];
    }
}
