#define MAX(a, b) ((a) > (b) ? (a) : (b))
void f(int n) {
  n = MAX(n);
//    ^^^ TRV002 preprocessor: macro MAX requires 2 arguments but was passed 1
}
