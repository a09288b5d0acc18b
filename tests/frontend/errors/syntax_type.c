  real f(double *A) { return A[0]; }
//^^^^ TRV004 'real' is not a type
