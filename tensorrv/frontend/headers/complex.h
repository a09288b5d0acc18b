#ifndef _COMPLEX_H
#define _COMPLEX_H
#define complex _Complex
double cabs(double _Complex), carg(double _Complex), creal(double _Complex), cimag(double _Complex);
float cabsf(float _Complex), cargf(float _Complex), crealf(float _Complex), cimagf(float _Complex);
#endif
