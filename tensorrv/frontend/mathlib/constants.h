/* Constants, each as the nearest number, and what it lacks. */
#ifndef CONSTANTS_H
#define CONSTANTS_H
#include "real.h"

#define LOG2E FORMAT(0x1.71547652b82fep+0, 0x1.715476p+0f)
#define LOG2E_REST FORMAT(0x1.777d0ffda0d24p-56, 0x1.4ae0cp-26f)
#define LOG10E FORMAT(0x1.bcb7b1526e50ep-2, 0x1.bcb7b2p-2f)
#define LOG10E_REST FORMAT(0x1.95355baaafad3p-57, -0x1.5b235ep-27f)
#define LN2 FORMAT(0x1.62e42fefa39efp-1, 0x1.62e43p-1f)
#define LN2_REST FORMAT(0x1.abc9e3b39803fp-56, -0x1.05c61p-29f)
#define LN2_BELOW FORMAT(LN2, 0x1.62e42ep-1f) /* the nearest number that is less */
#define LN2_BELOW_REST FORMAT(LN2_REST, 0x1.efa39ep-25f)
#define LOG10_2 FORMAT(0x1.34413509f79ffp-2, 0x1.344136p-2f)
#define LOG10_2_REST FORMAT(-0x1.9dc1da994fd21p-59, -0x1.ec10cp-27f)
#define PI FORMAT(0x1.921fb54442d18p+1, 0x1.921fb6p+1f)
#define PI_REST FORMAT(0x1.1a62633145c07p-53, -0x1.777a5cp-24f)
#define PI_REST2 FORMAT(-0x1.f1976b7ed8fbcp-109, -0x1.ee59dap-49f)
#define HALF_PI FORMAT(0x1.921fb54442d18p+0, 0x1.921fb6p+0f)
#define HALF_PI_REST FORMAT(0x1.1a62633145c07p-54, -0x1.777a5cp-25f)
#define HALF_PI_REST2 FORMAT(-0x1.f1976b7ed8fbcp-110, -0x1.ee59dap-50f)
#define PER_PI FORMAT(0x1.45f306dc9c883p-2, 0x1.45f306p-2f)
#define PER_HALF_PI FORMAT(0x1.45f306dc9c883p-1, 0x1.45f306p-1f)
#define TWO_PER_ROOT_PI FORMAT(0x1.20dd750429b6dp+0, 0x1.20dd76p+0f)
#define TWO_PER_ROOT_PI_REST FORMAT(0x1.1ae3a914fed8p-56, -0x1.f7ac92p-25f)

#endif
