/* What the kernels share: REAL, the element type, and PADDING, the number of unused elements at the end of each row
 * (compile with -D PADDING=6 to have rows of 1026 elements start 1032 elements apart). */
#ifndef REAL
#define REAL double
#endif
#ifndef PADDING
#define PADDING 0
#endif
