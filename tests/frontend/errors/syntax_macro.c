#define STEP(i) i +* 1
void f(int n) {
  n = STEP(n) / ;
//              ^ TRV004 expected an expression before ';'
}
