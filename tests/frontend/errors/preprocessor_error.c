  #error sizes must be even
// ^^^^^ TRV002 #error sizes must be even
void f(int n) { n = 1; }
