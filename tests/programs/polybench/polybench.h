#define POLYBENCH_2D(var, dim1, dim2) var[dim1][dim2]
#define POLYBENCH_2D_ARRAY_DECL(var, type, dim1, dim2) type (*var)[dim1][dim2] = polybench_alloc((dim1) * (dim2), sizeof(type))
#define POLYBENCH_ARRAY(x) *x
#define SCALAR_VAL(x) x
#ifndef N
#define N 90
#endif
#define DATA_TYPE double
void *polybench_alloc(unsigned long n, int size);
