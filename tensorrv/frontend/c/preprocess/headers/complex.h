#ifndef _COMPLEX_H
#define _COMPLEX_H
#define complex _Complex
#define _Complex_I (__extension__ 1.0iF)
#define I _Complex_I
double cabs(double _Complex), carg(double _Complex), creal(double _Complex), cimag(double _Complex);
float cabsf(float _Complex), cargf(float _Complex), crealf(float _Complex), cimagf(float _Complex);
#endif
