#include "rv.h"

/* Where each key stands in a binary search tree that is not deeper than 60, or -1. All keys that are looked for at the same time
   share one traversal: a subtree is visited if any of them may be in it, and a key that is found leaves. */
struct tree_node {
    float key;
    int left, right; /* 0: none */
};

void tree_search(int keys, int nodes, const struct tree_node tree[restrict nodes], const float key[restrict keys],
                 int place[restrict keys])
{
    #pragma omp simd
    for (int i = 0; i < keys; ++i) {
        int stack[64], top = 0, found = -1;
        if (nodes > 0)
            stack[top++] = 0;
        while (top > 0) {
            int at = stack[--top];
            float label = tree[at].key;
            int left = tree[at].left, right = tree[at].right;
            if (label == key[i]) {
                found = at;
                break;
            }
            if (left > 0 && rv_any(key[i] < label))
                stack[top++] = left;
            if (right > 0 && rv_any(label < key[i]))
                stack[top++] = right;
        }
        place[i] = found;
    }
}
