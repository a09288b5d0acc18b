void f(double *A) {
  A[0] = 1;
  break;
//^^^^^ TRV019 break outside of a loop or switch
}
