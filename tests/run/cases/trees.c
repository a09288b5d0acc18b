/* Traversals that differ between lanes: nodes in arrays of structs, jumps. */
// brushes: 8 3
// size n: 0..37
// length tree: 16
// values left: -1..15
// values right: -1..15
struct node { float key; int left, right; };

void search(int n, const struct node tree[restrict 16], const float queries[restrict n], int found[restrict n])
{
    for (int i = 0; i < n; i++) {
        int at = 0, depth = 0;
    next:
        if (at < 0 || depth++ == 12)
            goto done;
        if (tree[at].key == queries[i])
            goto done;
        at = queries[i] < tree[at].key ? tree[at].left : tree[at].right;
        goto next;
    done:
        found[i] = at * 16 + depth;
    }
}
