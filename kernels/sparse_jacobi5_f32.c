/* sparse_jacobi5 in single precision. */
#define REAL float
#define sparse_jacobi5 sparse_jacobi5_f32
#include "sparse_jacobi5.c"
