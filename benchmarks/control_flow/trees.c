/* Searches in trees, each with a stack of its own: a brush walks one way for all of its queries, with one stack, as long as the
 * decisions to descend are made by `rv_any` and `rv_popcount`. */
#include <math.h>
#include "rv.h"
#define DEPTH 256

struct Twig { float key; int low, high; };
struct Box { float least[2], most[2], cut; int axis, low, high, first, count; };
struct Shell { float at[2], radius; int inside, outside; };
struct Cell { float x, y, z, mass, reach; int single; int child[8]; };

/* Where each key is in a binary tree whose nodes are numbered in the order of their insertion; 0 is no child. */
void tree_search(int queries, const struct Twig *tree, const float *restrict key, int *restrict place)
{
#pragma omp simd
    for (int i = 0; i < queries; ++i) {
        int pending[DEPTH], top = 1, found = -1;
        float wanted = key[i];
        pending[0] = 0;
        while (top > 0) {
            int node = pending[--top];
            float here = tree[node].key;
            if (here == wanted) {
                found = node;
                break;
            }
            int low = tree[node].low, high = tree[node].high;
            if (low > 0 && rv_any(wanted < here))
                pending[top++] = low;
            if (high > 0 && rv_any(wanted > here))
                pending[top++] = high;
        }
        place[i] = found;
    }
}

static inline float outside(const struct Box *box, float x, float y)
{
    float dx = 0, dy = 0;
    if (x < box->least[0])
        dx = box->least[0] - x;
    else if (x > box->most[0])
        dx = x - box->most[0];
    if (y < box->least[1])
        dy = box->least[1] - y;
    else if (y > box->most[1])
        dy = y - box->most[1];
    return dx * dx + dy * dy;
}

/* The nearest point of a k-d tree. */
void nearest(int queries, const struct Box *tree, const float *points, const float *query, int *restrict found)
{
#pragma omp simd
    for (int i = 0; i < queries; ++i) {
        int pending[DEPTH], top = 1, which = -1;
        float x = query[2 * i], y = query[2 * i + 1], best = 1e30f;
        pending[0] = 0;
        while (top > 0) {
            const struct Box *box = &tree[pending[--top]];
            if (!rv_any(outside(box, x, y) < best))
                continue;
            if (box->low < 0) {
                for (int k = box->first; k < box->first + box->count; ++k) {
                    float dx = points[2 * k] - x, dy = points[2 * k + 1] - y, d = dx * dx + dy * dy;
                    if (d < best) {
                        best = d;
                        which = k;
                    }
                }
            } else if (2 * rv_popcount((box->axis ? y : x) < box->cut) > rv_popcount(1)) {
                pending[top++] = box->high;
                pending[top++] = box->low;
            } else {
                pending[top++] = box->low;
                pending[top++] = box->high;
            }
        }
        found[i] = which;
    }
}

static inline int neighbours(const struct Box *tree, const float *points, float x, float y, float square)
{
    int pending[DEPTH], top = 1, count = 0;
    pending[0] = 0;
    while (top > 0) {
        const struct Box *box = &tree[pending[--top]];
        if (!rv_any(outside(box, x, y) <= square))
            continue;
        if (box->low >= 0) {
            pending[top++] = box->high;
            pending[top++] = box->low;
            continue;
        }
        for (int k = box->first; k < box->first + box->count; ++k) {
            float dx = points[2 * k] - x, dy = points[2 * k + 1] - y;
            count += dx * dx + dy * dy <= square;
        }
    }
    return count;
}

/* How many points are within one radius of many places. */
void correlation(int queries, float radius, const struct Box *tree, const float *points, const float *query, int *restrict count)
{
#pragma omp simd
    for (int i = 0; i < queries; ++i)
        count[i] = neighbours(tree, points, query[2 * i], query[2 * i + 1], radius * radius);
}

/* How many points are within many radii of one place, for a few places. */
void radii(int places, int queries, const struct Box *tree, const float *points, const float *place, const float *radius,
           int *restrict count)
{
    for (int p = 0; p < places; ++p) {
#pragma omp simd
        for (int i = 0; i < queries; ++i)
            count[p * queries + i] =
                neighbours(tree, points, place[2 * p], place[2 * p + 1], radius[p * queries + i] * radius[p * queries + i]);
    }
}

/* The nearest point of a vantage-point tree. */
void vantage(int queries, const struct Shell *tree, const float *query, int *restrict found)
{
#pragma omp simd
    for (int i = 0; i < queries; ++i) {
        int pending[DEPTH], top = 1, which = -1;
        float x = query[2 * i], y = query[2 * i + 1], best = 1e30f;
        pending[0] = 0;
        while (top > 0) {
            int node = pending[--top];
            const struct Shell *shell = &tree[node];
            float dx = shell->at[0] - x, dy = shell->at[1] - y, d = sqrtf(dx * dx + dy * dy);
            if (d < best) {
                best = d;
                which = node;
            }
            int in = shell->inside >= 0 && rv_any(d - best <= shell->radius);
            int out = shell->outside >= 0 && rv_any(d + best >= shell->radius);
            if (2 * rv_popcount(d < shell->radius) > rv_popcount(1)) {
                if (out)
                    pending[top++] = shell->outside;
                if (in)
                    pending[top++] = shell->inside;
            } else {
                if (in)
                    pending[top++] = shell->inside;
                if (out)
                    pending[top++] = shell->outside;
            }
        }
        found[i] = which;
    }
}

/* The pull of all bodies by the method of Barnes and Hut; a cell is opened when a query is too near to it. */
void gravity(int queries, const struct Cell *tree, const float *px, const float *py, const float *pz, float *restrict ax,
             float *restrict ay, float *restrict az)
{
#pragma omp simd
    for (int i = 0; i < queries; ++i) {
        int pending[DEPTH], top = 1;
        float x = px[i], y = py[i], z = pz[i], fx = 0, fy = 0, fz = 0;
        pending[0] = 0;
        while (top > 0) {
            const struct Cell *cell = &tree[pending[--top]];
            float dx = cell->x - x, dy = cell->y - y, dz = cell->z - z;
            float square = dx * dx + dy * dy + dz * dz;
            if (cell->single || !rv_any(square < cell->reach)) {
                float inverse = 1.0f / sqrtf(square + 0.0025f);
                float pull = cell->mass * inverse * inverse * inverse;
                fx += dx * pull;
                fy += dy * pull;
                fz += dz * pull;
            } else {
                for (int c = 0; c < 8; ++c)
                    if (cell->child[c] >= 0)
                        pending[top++] = cell->child[c];
            }
        }
        ax[i] = fx;
        ay[i] = fy;
        az[i] = fz;
    }
}
