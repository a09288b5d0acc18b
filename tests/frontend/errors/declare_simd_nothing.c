#pragma omp declare simd notinbranch
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TRV023 'declare simd' must be followed by a function
static const int n = 3;
void f(double *A) { A[0] = n; }
