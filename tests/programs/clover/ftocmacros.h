#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define FTNREF2D(i_index, j_index, i_size, i_lb, j_lb) ((i_size) * (j_index - (j_lb)) + (i_index) - (i_lb))
