/* Numbers as 2^k times a fraction, of sqrt(1/2) up to sqrt(2). */
#ifndef BINARY_H
#define BINARY_H
#include "real.h"

/* Instructions, or nearly: the largest k with 2^k <= |x|, -inf for 0 and inf for inf; x / 2^k, 1 for 0 and inf, NaN for x < 0. */
real __exponent(real x);
real __mantissa(real x);

/* x = 2^k (1 + f) for x >= 0; for 0 and inf, whose k is infinite, 1 + f = 1; for x < 0 f is NaN. */
struct binary {
    real k, f;
};

static inline struct binary binary(real x)
{
    real k = __exponent(x), m = __mantissa(x);
    int upper = m >= FORMAT(0x1.6a09e667f3bcdp+0, 0x1.6a09e6p+0f);
    return (struct binary){upper ? k + 1 : k, (upper ? m * R(0.5) : m) - 1};
}

#endif
