/* jacobi9 in single precision. */
#define REAL float
#define jacobi9 jacobi9_f32
#include "jacobi9.c"
