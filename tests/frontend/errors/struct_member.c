struct point { double x, y; };
void f(struct point *p) {
  p->z = 1;
//^^^^ TRV010 'struct point' has no member 'z'
}
