/* jacobi5 in single precision. */
#define REAL float
#define jacobi5 jacobi5_f32
#include "jacobi5.c"
