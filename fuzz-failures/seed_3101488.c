/* {"function": "f0", "scalars": [], "arrays": [], "result": null, "plan": "brush=1 boscc=none", "target": "native", "calls": [{"values": [], "reach": {}, "aliases": {}, "at_end": true, "seed": 0}]} */
#include <math.h>
void f0(void)
{

}
