#define IMAX 14
#define JMAX 12
#define KMAX 18
double randlc(double *x, double a);
