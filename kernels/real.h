/* What the kernels share: REAL, the element type, and PITCH(n), the distance in elements between rows of n elements.
 * With -D PADDING=6 rows of 1026 elements start 1032 elements apart. */
#ifndef REAL
#define REAL double
#endif
#ifdef PADDING
#define PITCH(n) ((n) + PADDING)
#else
#define PITCH(n) n
#endif
