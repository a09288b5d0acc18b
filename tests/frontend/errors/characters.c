void f(int *n) {
  *n = 'ab';
//     ^^^^ TRV020 'ab' is not a character constant of one character
}
