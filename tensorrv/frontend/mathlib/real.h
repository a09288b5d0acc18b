/* The format that a source is read for: double, or with FLOAT float. Functions are written, and called, by the names they have for
 * doubles. R(0.5) is that number in the format, FORMAT(a, b) what doubles, or floats, need; whole numbers convert themselves. */
#ifndef REAL_H
#define REAL_H
#include <math.h>
#include <stdint.h>

#ifdef FLOAT

typedef float real;
typedef uint32_t word;
typedef int32_t signed_word;
#define R(number) number##f
#define FORMAT(of_double, of_float) (of_float)

#define __exponent __exponentf
#define __mantissa __mantissaf
#define acos acosf
#define acosh acoshf
#define asin asinf
#define asinh asinhf
#define atan atanf
#define atan2 atan2f
#define atanh atanhf
#define cbrt cbrtf
#define copysign copysignf
#define cos cosf
#define cosh coshf
#define erf erff
#define erfc erfcf
#define exp expf
#define exp2 exp2f
#define expm1 expm1f
#define fabs fabsf
#define fma fmaf
#define hypot hypotf
#define log logf
#define log10 log10f
#define log1p log1pf
#define log2 log2f
#define pow powf
#define rint rintf
#define sin sinf
#define sinh sinhf
#define sqrt sqrtf
#define tan tanf
#define tanh tanhf

#else

typedef double real;
typedef uint64_t word;
typedef int64_t signed_word;
#define R(number) number
#define FORMAT(of_double, of_float) (of_double)

#endif
#endif
