#pragma omp declare simd notinbranch
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TRV023 'declare simd' stands before a function
static const int n = 3;
void f(double *A) { A[0] = n; }
