/* seidel25 in single precision. */
#define REAL float
#define seidel25 seidel25_f32
#include "seidel25.c"
