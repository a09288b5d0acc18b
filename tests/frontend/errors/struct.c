struct grid { int n : 4; double *data; };
void f(struct grid *g, int i) {
  g->data[i] = 1;
//^ TRV030 'struct grid' cannot be used: bit-fields are not supported
}
