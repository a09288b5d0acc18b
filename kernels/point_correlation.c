#include "rv.h"

/* How many points of the plane lie within a radius of a centre, by a tree of bounding boxes that is not deeper than 60. Either many
   centres share a radius, or one centre has many radii: what differs between lanes follows from the calls. */
struct box_node {
    float low[2], high[2];
    int left, right; /* left < 0: a leaf with the points first .. first + count - 1 */
    int first, count;
};

static inline float outside(float x, float low, float high) { return x < low ? low - x : x > high ? x - high : 0.0f; }

static inline int within(int nodes, const struct box_node *tree, const float *x, const float *y, float cx, float cy, float radius)
{
    float limit = radius * radius;
    int stack[64], top = 0, count = 0;
    if (nodes > 0)
        stack[top++] = 0;
    while (top > 0) {
        const struct box_node *node = &tree[stack[--top]];
        float dx = outside(cx, node->low[0], node->high[0]), dy = outside(cy, node->low[1], node->high[1]);
        if (!rv_any(dx * dx + dy * dy <= limit))
            continue;
        if (node->left < 0) {
            for (int k = node->first; k < node->first + node->count; ++k) {
                float ex = x[k] - cx, ey = y[k] - cy;
                count += ex * ex + ey * ey <= limit;
            }
        } else {
            stack[top++] = node->right;
            stack[top++] = node->left;
        }
    }
    return count;
}

void point_correlation(int centres, int nodes, int points, const struct box_node tree[restrict nodes],
                       const float x[restrict points], const float y[restrict points], const float cx[restrict centres],
                       const float cy[restrict centres], float radius, int count[restrict centres])
{
    #pragma omp simd
    for (int i = 0; i < centres; ++i)
        count[i] = within(nodes, tree, x, y, cx[i], cy[i], radius);
}

void radii_correlation(int centres, int radii, int nodes, int points, const struct box_node tree[restrict nodes],
                       const float x[restrict points], const float y[restrict points], const float cx[restrict centres],
                       const float cy[restrict centres], const float radius[restrict radii], int count[restrict centres][radii])
{
    for (int c = 0; c < centres; ++c) {
        #pragma omp simd
        for (int r = 0; r < radii; ++r)
            count[c][r] = within(nodes, tree, x, y, cx[c], cy[c], radius[r]);
    }
}
