  #include <mpi.h>
// ^^^^^^^ TRV003 header 'mpi.h' not found
void f(int n) { n = 1; }
