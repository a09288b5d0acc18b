/* {"function": "f3", "scalars": [["n", "int"]], "arrays": [{"name": "A7", "element": "int", "const": false, "fill": 0}], "result": null, "plan": "brush=i8=4", "target": "native", "calls": [{"values": [2.0], "reach": {"A7": null}, "aliases": {}, "at_end": true, "seed": 1}]} */
#include <math.h>
void f3(int n, int *restrict A7)
{
    for (int i8 = 2; i8 != n; i8++) {
        for (int i9 = 1; i9 < 1; i9 += 2) {
            A7[(i9 + 3) * n + i8] = 1;
        }
    }
}
