#ifndef _MATH_H
#define _MATH_H
#define HUGE_VAL (__builtin_huge_val())
#define HUGE_VALF (__builtin_huge_valf())
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define MATH_ERRNO 1
#define MATH_ERREXCEPT 2
#define math_errhandling (MATH_ERRNO | MATH_ERREXCEPT)
#define fpclassify(x) __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x)
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf_sign(x)
#define isfinite(x) __builtin_isfinite(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) __builtin_signbit(x)
#define isgreater(x, y) __builtin_isgreater(x, y)
#define isgreaterequal(x, y) __builtin_isgreaterequal(x, y)
#define isless(x, y) __builtin_isless(x, y)
#define islessequal(x, y) __builtin_islessequal(x, y)
#define islessgreater(x, y) __builtin_islessgreater(x, y)
#define isunordered(x, y) __builtin_isunordered(x, y)
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
typedef double double_t;
typedef float float_t;
double acos(double), asin(double), atan(double), cos(double), sin(double), tan(double), acosh(double), asinh(double), atanh(double), cosh(double), sinh(double), tanh(double), exp(double), exp2(double), expm1(double), log(double), log10(double), log1p(double), log2(double), logb(double), cbrt(double), sqrt(double), fabs(double), erf(double), erfc(double), lgamma(double), tgamma(double), ceil(double), floor(double), trunc(double), round(double), rint(double), nearbyint(double);
double atan2(double, double), pow(double, double), hypot(double, double), fmod(double, double), remainder(double, double), fmin(double, double), fmax(double, double), fdim(double, double), copysign(double, double), nextafter(double, double);
double fma(double, double, double), ldexp(double, int), scalbn(double, int), frexp(double, int *), modf(double, double *);
long lround(double), lrint(double);
long long llround(double), llrint(double);
int ilogb(double);
float acosf(float), asinf(float), atanf(float), cosf(float), sinf(float), tanf(float), acoshf(float), asinhf(float), atanhf(float), coshf(float), sinhf(float), tanhf(float), expf(float), exp2f(float), expm1f(float), logf(float), log10f(float), log1pf(float), log2f(float), logbf(float), cbrtf(float), sqrtf(float), fabsf(float), erff(float), erfcf(float), lgammaf(float), tgammaf(float), ceilf(float), floorf(float), truncf(float), roundf(float), rintf(float), nearbyintf(float);
float atan2f(float, float), powf(float, float), hypotf(float, float), fmodf(float, float), remainderf(float, float), fminf(float, float), fmaxf(float, float), fdimf(float, float), copysignf(float, float), nextafterf(float, float);
float fmaf(float, float, float), ldexpf(float, int), scalbnf(float, int), frexpf(float, int *), modff(float, float *);
long lroundf(float), lrintf(float);
long long llroundf(float), llrintf(float);
int ilogbf(float);
extern int signgam;
double drem(double, double), j0(double), j1(double), jn(int, double), y0(double), y1(double), yn(int, double);
double scalbln(double, long), nexttoward(double, long double), nan(const char *), remquo(double, double, int *);
double exp10(double), gamma(double), lgamma_r(double, int *), significand(double);
float scalblnf(float, long), nexttowardf(float, long double), nanf(const char *), remquof(float, float, int *), exp10f(float);
void sincos(double, double *, double *), sincosf(float, float *, float *);
#endif
