  #if 2 *
//    ^ TRV002 this condition is not a constant expression
#endif
void f(int n) { n = 1; }
