#include "rv.h"

/* The nearest point of the plane for every query, by a kd-tree with bounding boxes that is not deeper than 60. A box is visited if
   it may hold something nearer for any of the queries at hand, the half in which most of them are first. */
struct kd_node {
    float low[2], high[2];
    int left, right; /* the halves; left < 0: a leaf with the points first .. first + count - 1 */
    int first, count;
    int axis;
    float split;
};

static inline float square(float x) { return x * x; }

static inline float outside(float x, float low, float high) { return x < low ? low - x : x > high ? x - high : 0.0f; }

void kd_nearest(int queries, int nodes, int points, const struct kd_node tree[restrict nodes], const float x[restrict points],
                const float y[restrict points], const float qx[restrict queries], const float qy[restrict queries],
                int nearest[restrict queries])
{
    #pragma omp simd
    for (int i = 0; i < queries; ++i) {
        float px = qx[i], py = qy[i], best = 3.0e38f;
        int stack[64], top = 0, found = -1;
        if (nodes > 0)
            stack[top++] = 0;
        while (top > 0) {
            const struct kd_node *node = &tree[stack[--top]];
            float away = square(outside(px, node->low[0], node->high[0])) + square(outside(py, node->low[1], node->high[1]));
            if (!rv_any(away <= best))
                continue;
            if (node->left < 0) {
                for (int k = node->first; k < node->first + node->count; ++k) {
                    float distance = square(x[k] - px) + square(y[k] - py);
                    if (distance < best || (distance == best && k < found)) {
                        best = distance;
                        found = k;
                    }
                }
            } else {
                int below = (node->axis ? py : px) < node->split;
                if (2 * rv_popcount(below) > rv_popcount(1)) {
                    stack[top++] = node->right;
                    stack[top++] = node->left;
                } else {
                    stack[top++] = node->left;
                    stack[top++] = node->right;
                }
            }
        }
        nearest[i] = found;
    }
}
