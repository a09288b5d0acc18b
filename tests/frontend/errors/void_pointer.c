void f(void *p) {
//           ^ TRV043 the elements of the void pointer 'p' have no type
}
