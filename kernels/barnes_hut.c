#include <math.h>
#include "rv.h"

/* The force on bodies in the plane, by a quadtree that is not deeper than 60: cells that are far away count as one mass. A cell is
   opened if it is near to any of the bodies at hand; a body for which it was far sleeps until its subtree has been visited. */
struct cell {
    float x, y, mass;
    float near;   /* the square of the distance within which the cell is opened; 0 for a single body */
    int child[4]; /* -1: none */
};

void barnes_hut(int bodies, int cells, const struct cell tree[restrict cells], const float x[restrict bodies],
                const float y[restrict bodies], float fx[restrict bodies], float fy[restrict bodies])
{
    #pragma omp simd
    for (int i = 0; i < bodies; ++i) {
        float px = x[i], py = y[i], ax = 0, ay = 0;
        int stack[256], top = 0, awake_below = 256;
        if (cells > 0)
            stack[top++] = 0;
        while (top > 0) {
            const struct cell *cell = &tree[stack[--top]];
            float dx = cell->x - px, dy = cell->y - py;
            float distance = dx * dx + dy * dy + 0.0025f;
            int awake = top < awake_below;
            int opened = awake && distance < cell->near;
            int opened_by_any = rv_any(opened);
            if (awake)
                awake_below = 256;
            if (awake && !opened) {
                float inverse = 1 / sqrtf(distance);
                float pull = cell->mass * inverse * inverse * inverse;
                ax += dx * pull;
                ay += dy * pull;
                if (opened_by_any)
                    awake_below = top;
            }
            if (opened_by_any)
                for (int c = 0; c < 4; ++c)
                    if (cell->child[c] >= 0)
                        stack[top++] = cell->child[c];
        }
        fx[i] = ax;
        fy[i] = ay;
    }
}
