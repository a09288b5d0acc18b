extern int m;
static const double step = sin(1.0);
//                         ^^^ TRV018 the function 'sin' is not declared
void f(double *A) { A[0] = step; }
