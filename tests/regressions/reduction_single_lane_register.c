/* {"function": "f4", "scalars": [["n", "long"], ["m", "long"]], "arrays": [{"name": "A6", "element": "int", "const": false, "fill": 0}], "result": null, "plan": "brush=5x3 projection=1,0 register_bits=128", "target": "native", "calls": [{"values": [10.0, 36.0], "reach": {"A6": [0, 0]}, "aliases": {}, "at_end": true, "seed": 1}, {"values": [10.0, 12.0], "reach": {"A6": [0, 0]}, "aliases": {}, "at_end": false, "seed": 2}, {"values": [2.0, 36.0], "reach": {"A6": [0, 0]}, "aliases": {}, "at_end": true, "seed": 3}, {"values": [8.0, 35.0], "reach": {"A6": [0, 0]}, "aliases": {}, "at_end": false, "seed": 4}]} */
#include <math.h>
void f4(long n, long m, int A6[restrict n])
{
    int acc1 = 0;
    for (int i3 = 0; i3 < n; i3++) {
        for (long i4 = m - 1; i4 >= 2; i4--) {
            acc1 = acc1 < 0 ? acc1 : 0;
        }
    }
    A6[0] = acc1;
}
