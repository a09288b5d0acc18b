/* The forms of a lattice Boltzmann code: macros for cells and directions, two grids that change places, flags in the bits of a number. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lbm.h"

static double *srcGrid, *dstGrid;

void LBM_allocateGrid(double **ptr)
{
    const size_t margin = 2 * SIZE_X * SIZE_Y * N_CELL_ENTRIES, size = sizeof(LBM_Grid) + 2 * margin * sizeof(double);
    *ptr = malloc(size);
    if (!*ptr) {
        printf("LBM_allocateGrid: could not allocate %.1f MByte\n", size / (1024.0 * 1024.0));
        exit(1);
    }
    memset(*ptr, 0, size);
    *ptr += margin;
}

void LBM_initializeGrid(LBM_Grid grid)
{
    int x, y, z;
    for (z = 0; z < SIZE_Z; z++)
        for (y = 0; y < SIZE_Y; y++)
            for (x = 0; x < SIZE_X; x++) {
                LOCAL(grid, C) = 1.0 / 3.0;
                LOCAL(grid, N) = LOCAL(grid, S) = LOCAL(grid, E) = LOCAL(grid, W) = 1.0 / 18.0 + 0.001 * (x % 3);
                LOCAL(grid, T) = LOCAL(grid, B) = 1.0 / 18.0;
                LOCAL(grid, FLAGS) = (x == 0 || y == 0 || x == SIZE_X - 1 || y == SIZE_Y - 1) ? OBSTACLE : 0;
            }
}

void LBM_performStream(LBM_Grid src, LBM_Grid dst)
{
    int x, y, z;
    double ux, uy, uz, u2, rho;
    for (z = 0; z < SIZE_Z; z++)
        for (y = 0; y < SIZE_Y; y++)
            for (x = 0; x < SIZE_X; x++) {
                DST(dst, FLAGS, 0) = LOCAL(src, FLAGS);
                if ((int)LOCAL(src, FLAGS) & OBSTACLE) {
                    DST(dst, C, 0) = LOCAL(src, C);
                    DST(dst, S, -SIZE_X) = LOCAL(src, N);
                    DST(dst, N, +SIZE_X) = LOCAL(src, S);
                    DST(dst, W, -1) = LOCAL(src, E);
                    DST(dst, E, +1) = LOCAL(src, W);
                    DST(dst, B, -SIZE_X * SIZE_Y) = LOCAL(src, T);
                    DST(dst, T, +SIZE_X * SIZE_Y) = LOCAL(src, B);
                    continue;
                }
                rho = LOCAL(src, C) + LOCAL(src, N) + LOCAL(src, S) + LOCAL(src, E) + LOCAL(src, W) + LOCAL(src, T) + LOCAL(src, B);
                ux = (LOCAL(src, E) - LOCAL(src, W)) / rho;
                uy = (LOCAL(src, N) - LOCAL(src, S)) / rho;
                uz = (LOCAL(src, T) - LOCAL(src, B)) / rho;
                u2 = 1.5 * (ux * ux + uy * uy + uz * uz);
                DST(dst, C, 0) = (1.0 - OMEGA) * LOCAL(src, C) + OMEGA / 3.0 * rho * (1.0 - u2);
                DST(dst, N, +SIZE_X) = (1.0 - OMEGA) * LOCAL(src, N) + OMEGA / 18.0 * rho * (1.0 + uy * (4.5 * uy + 3.0) - u2);
                DST(dst, S, -SIZE_X) = (1.0 - OMEGA) * LOCAL(src, S) + OMEGA / 18.0 * rho * (1.0 + uy * (4.5 * uy - 3.0) - u2);
                DST(dst, E, +1) = (1.0 - OMEGA) * LOCAL(src, E) + OMEGA / 18.0 * rho * (1.0 + ux * (4.5 * ux + 3.0) - u2);
                DST(dst, W, -1) = (1.0 - OMEGA) * LOCAL(src, W) + OMEGA / 18.0 * rho * (1.0 + ux * (4.5 * ux - 3.0) - u2);
                DST(dst, T, +SIZE_X * SIZE_Y) = (1.0 - OMEGA) * LOCAL(src, T) + OMEGA / 18.0 * rho * (1.0 + uz * (4.5 * uz + 3.0) - u2);
                DST(dst, B, -SIZE_X * SIZE_Y) = (1.0 - OMEGA) * LOCAL(src, B) + OMEGA / 18.0 * rho * (1.0 + uz * (4.5 * uz - 3.0) - u2);
            }
}

int main(void)
{
    double mass = 0, *t;
    LBM_allocateGrid(&srcGrid);
    LBM_allocateGrid(&dstGrid);
    LBM_initializeGrid(srcGrid);
    LBM_initializeGrid(dstGrid);
    for (int step = 1; step <= 6; step++) {
        LBM_performStream(srcGrid, dstGrid);
        t = srcGrid, srcGrid = dstGrid, dstGrid = t;
    }
    for (int i = 0; i < SIZE_X * SIZE_Y * SIZE_Z; i++)
        for (int d = C; d < FLAGS; d++)
            mass += srcGrid[i * N_CELL_ENTRIES + d];
    printf("mass %.17g\n%s\n", mass, mass > 0 && mass < 1e6 ? "VERIFICATION SUCCESSFUL" : "FAILED");
    return 0;
}
