/* The forms of CloverLeaf's C kernels: macros for Fortran's subscripts, sizes through pointers, all in one function for each kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include "ftocmacros.h"

void ideal_gas_kernel_c_(int *xmin, int *xmax, int *ymin, int *ymax, double *density, double *energy, double *pressure,
                         double *soundspeed)
{
    int x_min = *xmin, x_max = *xmax, y_min = *ymin, y_max = *ymax, j, k;
    double sound_speed_squared, v, pressurebyenergy, pressurebyvolume;
#pragma omp parallel
    {
#pragma omp for private(v, pressurebyenergy, pressurebyvolume, sound_speed_squared, j)
        for (k = y_min; k <= y_max; k++) {
#pragma ivdep
            for (j = x_min; j <= x_max; j++) {
                v = 1.0 / density[FTNREF2D(j, k, x_max + 4, x_min - 2, y_min - 2)];
                pressure[FTNREF2D(j, k, x_max + 4, x_min - 2, y_min - 2)] =
                    (1.4 - 1.0) * density[FTNREF2D(j, k, x_max + 4, x_min - 2, y_min - 2)] *
                    energy[FTNREF2D(j, k, x_max + 4, x_min - 2, y_min - 2)];
                pressurebyenergy = (1.4 - 1.0) * density[FTNREF2D(j, k, x_max + 4, x_min - 2, y_min - 2)];
                pressurebyvolume = -1 * density[FTNREF2D(j, k, x_max + 4, x_min - 2, y_min - 2)] *
                    pressure[FTNREF2D(j, k, x_max + 4, x_min - 2, y_min - 2)] * v;
                sound_speed_squared = v * v *
                    (pressure[FTNREF2D(j, k, x_max + 4, x_min - 2, y_min - 2)] * pressurebyenergy - pressurebyvolume);
                soundspeed[FTNREF2D(j, k, x_max + 4, x_min - 2, y_min - 2)] = sqrt(sound_speed_squared);
            }
        }
    }
}

void calc_dt_kernel_c_(int *xmin, int *xmax, int *ymin, int *ymax, double *soundspeed, double *density, double *dtmin)
{
    int x_min = *xmin, x_max = *xmax, y_min = *ymin, y_max = *ymax, j, k;
    double dt_min_val = 1.0e+21, dsx;
    for (k = y_min; k <= y_max; k++)
        for (j = x_min; j <= x_max; j++) {
            dsx = 0.5 * MIN(1.0, 2.0) / MAX(soundspeed[FTNREF2D(j, k, x_max + 4, x_min - 2, y_min - 2)], 1.0e-16);
            if (density[FTNREF2D(j, k, x_max + 4, x_min - 2, y_min - 2)] < 1.05)
                dsx *= 0.875;
            dt_min_val = dsx < dt_min_val ? dsx : dt_min_val;
        }
    *dtmin = dt_min_val;
}

void update_halo_kernel_c_(int *xmin, int *xmax, int *ymin, int *ymax, int *depth_, double *field)
{
    int x_min = *xmin, x_max = *xmax, y_min = *ymin, y_max = *ymax, depth = *depth_, j, k;
    for (j = x_min - depth; j <= x_max + depth; j++)
        for (k = 1; k <= depth; k++)
            field[FTNREF2D(j, 1 - k, x_max + 4, x_min - 2, y_min - 2)] = field[FTNREF2D(j, k, x_max + 4, x_min - 2, y_min - 2)];
    for (j = x_min - depth; j <= x_max + depth; j++)
        for (k = 1; k <= depth; k++)
            field[FTNREF2D(j, y_max + k, x_max + 4, x_min - 2, y_min - 2)] =
                field[FTNREF2D(j, y_max + 1 - k, x_max + 4, x_min - 2, y_min - 2)];
    for (k = y_min - depth; k <= y_max + depth; k++)
        for (j = 1; j <= depth; j++)
            field[FTNREF2D(1 - j, k, x_max + 4, x_min - 2, y_min - 2)] = field[FTNREF2D(j, k, x_max + 4, x_min - 2, y_min - 2)];
}

int main(void)
{
    int xmin = 1, xmax = 50, ymin = 1, ymax = 37, depth = 2, size = 54 * 41;
    double *density = malloc(size * sizeof(double)), *energy = malloc(size * sizeof(double));
    double *pressure = calloc(size, sizeof(double)), *soundspeed = calloc(size, sizeof(double)), dt, sum = 0;
    for (int i = 0; i < size; i++) {
        density[i] = 1 + (i % 11) * 0.01;
        energy[i] = 2.5 - (i % 7) * 0.1;
    }
    for (int step = 0; step < 3; step++) {
        ideal_gas_kernel_c_(&xmin, &xmax, &ymin, &ymax, density, energy, pressure, soundspeed);
        update_halo_kernel_c_(&xmin, &xmax, &ymin, &ymax, &depth, pressure);
        calc_dt_kernel_c_(&xmin, &xmax, &ymin, &ymax, soundspeed, density, &dt);
        for (int i = 0; i < size; i++)
            energy[i] -= dt * 0.001 * pressure[i];
    }
    for (int i = 0; i < size; i++)
        sum += pressure[i] + soundspeed[i];
    printf("%.17g %.17g\n%s\n", sum, dt, sum > 0 && dt < 1 ? "VERIFICATION SUCCESSFUL" : "FAILED");
    return 0;
}
