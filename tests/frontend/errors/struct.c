struct grid { int n; double *data; };
void f(struct grid *g, int i) {
//            ^^^^ TRV030 structs are not supported
  g->data[i] = 1;
}
