  #ifdef
// ^^^^^ TRV002 malformed preprocessor directive
void f(int n) { n = 1; }
#endif
