struct grid { int n : 4; double *data; };
void f(struct grid *g, int i) {
  g->data[i] = g->n;
//             ^^^^ TRV030 'n' of 'struct grid' cannot be used: bit-fields are not supported
}
