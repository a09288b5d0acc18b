void f(double *A) {
  default: A[0] = 1;
//^^^^^^^ TRV019 case and default belong inside a switch
}
