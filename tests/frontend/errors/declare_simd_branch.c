#pragma omp declare simd inbranch notinbranch
//                                ^^^^^^^^^^^ TRV023 'inbranch' and 'notinbranch' exclude each other
void f(int n, double *A) { A[0] = n; }
