#include <math.h>
#include "rv.h"

/* The nearest point of the plane for every query, by a vantage-point tree that is not deeper than 60. A ball, or what is outside of
   it, is visited if it may hold something nearer for any of the queries at hand. */
struct vp_node {
    float x, y, radius;
    int inside, outside; /* -1: none */
};

void vantage_point(int queries, int nodes, const struct vp_node tree[restrict nodes], const float qx[restrict queries],
                   const float qy[restrict queries], int nearest[restrict queries])
{
    #pragma omp simd
    for (int i = 0; i < queries; ++i) {
        float px = qx[i], py = qy[i], best = 3.0e38f;
        int stack[64], top = 0, found = -1;
        if (nodes > 0)
            stack[top++] = 0;
        while (top > 0) {
            int at = stack[--top];
            const struct vp_node *node = &tree[at];
            float dx = node->x - px, dy = node->y - py;
            float distance = sqrtf(dx * dx + dy * dy);
            if (distance < best || (distance == best && at < found)) {
                best = distance;
                found = at;
            }
            int in = node->inside >= 0 && rv_any(distance - best <= node->radius);
            int out = node->outside >= 0 && rv_any(distance + best >= node->radius);
            if (2 * rv_popcount(distance < node->radius) > rv_popcount(1)) {
                if (out)
                    stack[top++] = node->outside;
                if (in)
                    stack[top++] = node->inside;
            } else {
                if (in)
                    stack[top++] = node->inside;
                if (out)
                    stack[top++] = node->outside;
            }
        }
        nearest[i] = found;
    }
}
