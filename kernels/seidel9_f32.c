/* seidel9 in single precision. */
#define REAL float
#define seidel9 seidel9_f32
#include "seidel9.c"
