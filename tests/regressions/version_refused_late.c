/* {"function": "f2", "scalars": [["n", "int"]], "arrays": [{"name": "A1", "element": "double", "const": false, "fill": 0}], "result": null, "plan": "brush=i2=4", "target": "native", "calls": [{"values": [8.0], "reach": {"A1": [0, 44]}, "aliases": {}, "at_end": true, "seed": 1}, {"values": [7.0], "reach": {"A1": [0, 39]}, "aliases": {}, "at_end": false, "seed": 2}, {"values": [0.0], "reach": {"A1": [0, 4]}, "aliases": {}, "at_end": true, "seed": 3}, {"values": [5.0], "reach": {"A1": [0, 29]}, "aliases": {}, "at_end": false, "seed": 4}]} */
#include <math.h>
#include <stddef.h>
void f2(int n, double *restrict A1)
{
    for (size_t i2 = 0; i2 < 6; ++i2) {
        for (int i3 = 0; i3 < (i2 + 1); i3 += 2) {
            A1[(i2) * n + i3] = 1;
        }
    }
}
