/* transpose in single precision. */
#define REAL float
#define transpose transpose_f32
#include "transpose.c"
