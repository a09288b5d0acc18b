"""What walks ask for when they note down where they still have to go."""

import pytest

import tensorrv as trv

WALK = """#include "rv.h"
struct node { float key; int low, high; float more[SPARE]; };
void f(int n, const struct node *tree, const float *restrict x, int *restrict r, int m, const int *next) {
    #pragma omp simd
    for (int i = 0; i < n; i++) {
        int pending[64], top = 1, found = 0;
        pending[0] = 0;
        while (top > 0) {
            int k = pending[--top];
            BODY
        }
        r[i] = found;
    }
}"""
BOTH = """found += x[i] < tree[k].key;
    if (rv_any(x[i] < tree[k].key)) { pending[top++] = tree[k].high; pending[top++] = tree[k].low; }"""


def emitted(body, spare=1):
    kernel = trv.compile(WALK.replace("BODY", body).replace("SPARE", str(spare)), brush="i=16", target="avx512")
    context = kernel.kernel.tensorized.widened.context
    found = [(ahead.base.name, str(ahead.offset)) for _, places in sorted(context.pending.items()) for ahead in places]
    return found, kernel.llvm.count("call void @llvm.prefetch")



def test_what_is_visited_next_is_not_asked_for():
    found, calls = emitted(BOTH)
    ((base, where),) = found
    assert base == "tree" and where.startswith("16*%") and calls == 2  # whole brushes and the tail


def test_both_where_either_may_be_the_last():
    text = BOTH.replace("pending[top++] = tree[k].low;", "if (rv_any(x[i] < m)) pending[top++] = tree[k].low;")
    assert len(emitted(text)[0]) == 1
    again = text.replace("}", "for (int j = 0; j < m; j++) pending[top++] = next[j]; }")
    assert len(emitted(again)[0]) == 3


@pytest.mark.parametrize(("spare", "lines"), [(12, ["60*%"]), (30, ["128 + 132*%", "132*%"])])
def test_every_line_that_is_read(spare, lines):
    body = BOTH.replace("tree[k].key;", f"tree[k].key; found += tree[k].more[{spare - 1}] > x[i];", 1)
    found, _ = emitted(body, spare)
    assert sorted(where.partition("%")[0] + "%" for _, where in found) == lines


@pytest.mark.parametrize("body", [
    "found += k; if (rv_any(x[i] < m)) { pending[top++] = next[m]; pending[top++] = m; }",  # nothing is read there
    "found += tree[k].key < x[i]; if (rv_any(x[i] < m)) next += m; else top += m > found;",  # nothing is noted down
    "found += tree[k].key < x[i]; if (x[i] < tree[k].key) { pending[top++] = tree[k].high; pending[top++] = tree[k].low; }",
])  # fmt: skip
def test_nothing_else_is_asked_for(body):
    assert emitted(body)[1] == 0


def test_only_what_the_place_itself_tells():
    found, _ = emitted(BOTH.replace("tree[k].key", "tree[next[k] + m].key"))
    assert [base for base, _ in found] == ["next", "tree"]  # next[k], and the places to go on from


def test_lists_of_pointers():
    text = WALK.replace("int pending[64],", "const struct node *pending[64]; int").replace("pending[0] = 0", "pending[0] = tree")
    text = text.replace("int k = ", "const struct node *k = ").replace("BODY", """found += x[i] < k->key;
        if (rv_any(x[i] < k->key)) { pending[top++] = tree + k->high; pending[top++] = tree + k->low; }""")
    kernel = trv.compile(text.replace("SPARE", "1"), brush="i=16", target="avx512")
    assert kernel.llvm.count("call void @llvm.prefetch") == 2
