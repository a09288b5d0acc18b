void f(double *A) { A[0] = 1; }
  }
//^ TRV004 there is one '}' too many
