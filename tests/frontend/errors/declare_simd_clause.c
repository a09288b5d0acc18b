#pragma omp declare simd safelen(4)
//                       ^^^^^^^ TRV023 unknown clause 'safelen'
void f(int n, double *A) { A[0] = n; }
