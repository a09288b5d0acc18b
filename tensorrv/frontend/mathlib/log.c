/* log, log2, log10, log1p: x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), a polynomial in f for log(1 + f). A quotient in its place,
 * s = f / (2 + f), in which the logarithm is odd, would halve the polynomial and keep the divider. By tools/polynomials.py. */
#include "binary.h"
#include "bits.h"
#include "constants.h"
#include "log_rest.h"

real log(real x)
{
    struct binary b = binary(x);
    return log_of_parts(b.k, b.f, b.k * LN2_BELOW_REST);
}

/* k a + log(1 + f) b, where a and b are given with what they lack: the logarithm to another base. An infinite k is it, unless f is NaN. */
static inline real other_base(real x, real a, real a_rest, real b, real b_rest)
{
    struct binary n = binary(x);
    real k = n.k, f = n.f;
    real z = f * f, half = R(0.5) * z, high = f - half;
    real low = fma(f * log_rest(f, z), z, ((f - high) - half) - fma(R(0.5) * f, f, -half));
    real product = high * b;
    real rest = fma(low, b, fma(high, b_rest, fma(high, b, -product)));
    real sum = fma(k, a, product);
    rest += (fma(k, a, -sum) + product) + k * a_rest;
    return fabs(k) < INFINITY ? sum + rest : k + f;
}

real log2(real x)
{
    return other_base(x, 1, 0, LOG2E, LOG2E_REST);
}

real log10(real x)
{
    return other_base(x, LOG10_2, LOG10_2_REST, LOG10E, LOG10E_REST);
}

real log1p(real x)
{
    real u = 1 + x;
    real lost = fabs(x) > 1 ? 1 - (u - x) : x - (u - 1);
    return fabs(x) < FORMAT(0x1p-54, 0x1p-25f) ? x : log_of_sum(u, lost, 0);
}
