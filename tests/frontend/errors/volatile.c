void f(volatile int *flag) {
//                   ^^^^ TRV031 volatile objects are not supported
  *flag = 1;
}
