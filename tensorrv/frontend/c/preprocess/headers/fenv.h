#ifndef _FENV_H
#define _FENV_H
/* the numbers of exceptions and of other rounding modes differ from machine to machine */
#define FE_TONEAREST 0
typedef struct __fenv fenv_t;
typedef struct __fexcept fexcept_t;
int feclearexcept(int), fegetexceptflag(fexcept_t *, int), feraiseexcept(int), fesetexceptflag(const fexcept_t *, int);
int fetestexcept(int), fegetround(void), fesetround(int), fegetenv(fenv_t *), feholdexcept(fenv_t *);
int fesetenv(const fenv_t *), feupdateenv(const fenv_t *), feenableexcept(int), fedisableexcept(int);
#endif
