#define SIZE_X 26
#define SIZE_Y 18
#define SIZE_Z 12
#define OMEGA 1.95
#define OBSTACLE 1
typedef enum { C = 0, N, S, E, W, T, B, FLAGS, N_CELL_ENTRIES } CELL_ENTRIES;
typedef double LBM_Grid[SIZE_Z * SIZE_Y * SIZE_X * N_CELL_ENTRIES];
#define CALC_INDEX(x, y, z, e) ((e) + N_CELL_ENTRIES * ((x) + (y) * SIZE_X + (z) * SIZE_X * SIZE_Y))
#define LOCAL(g, e) ((g)[CALC_INDEX(x, y, z, e)])
#define DST(g, e, shift) ((g)[CALC_INDEX(x, y, z, e) + N_CELL_ENTRIES * (shift)])
