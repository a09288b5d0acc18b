"""Which loops ask in every iteration although they would stop asking, and which must not."""

from __future__ import annotations

import pytest

from rv.ir.instructions import Binary, Load
from rv.semantics.memory import Memory
from rv.semantics.scalar import run
from rv.transform.prepare import prepare
from tensorrv.frontend.c.module import parse_c
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.idioms.short_circuit import asking_always
from tensorrv.pipeline.kernel import declared_arrays

ARRAYS = "int n, int x, const int a[restrict n], const int b[restrict n]"


def changed(statement: str, parameters: str = ARRAYS, loop: str = "for (int i = 0; i < n; i++)") -> bool:
    """Whether the loop always evaluates the condition; then all that it carries is a reduction, and nothing else has changed."""
    text = f"int f({parameters}) {{ int r = 0, k = -1; _Bool t = 1; {loop} {{ {statement} }} return r * 1000 + k + t * 500; }}"
    (source,) = parse_c("answers.c", text=text).functions
    before = prepare(source.function)
    after = asking_always(before, declared_arrays(source))
    if after is before:
        return False
    nests = analyze_nests(after)
    folded = {r.phi for r in nests.reductions} | {m for s in nests.selections for m in s.members}
    (found,) = nests.loops.values()
    assert all(p.result in folded or p.result.name in nests.congruences for p in after.block(found.header).phis)
    for x in range(-1, 4):
        results = []
        for function in (before, after):
            memory = Memory()
            values = [memory.map(name, bytearray(b"".join(v.to_bytes(4, "little") for v in data)))
                      for name, data in (("a", (5, 2, 3, 1, 3)), ("b", (1, 0, 2, 7, 1)))]  # fmt: skip
            results.append(run(function, [5, x, *values], memory))
        assert results[0] == results[1]
    return True


@pytest.mark.parametrize("statement", [
    "r = r || a[i] == x;", "r = a[i] == x || r;", "r = r || a[i] == x || b[i] > 1;", "if (!r) r = a[i] == x;",
    "if (b[i]) r = r || a[i] == x;", "if (k < 0 && a[i] == x) k = i;", "if (k < 0) if (a[i] == x) k = i;",
    "if (!r && a[i] * b[i] == x) { r = 1; k = a[i]; }", "if (k == -1 && a[i] + i * 2 > x) k = i;",
    "t &= a[i] > x;", "t = t | (a[i] > x);", "if (b[i] > 0) t ^= a[i] == x;", "t = t && a[i] != x;",
])  # fmt: skip
def test_answers_that_become_reductions(statement: str) -> None:
    assert changed(statement)


@pytest.mark.parametrize("statement", [
    "if (k < 0 && a[i] / x == 2) k = i;",  # x may be 0 where the condition is not evaluated any more
    "if (k < 0 && a[b[i]] == x) k = i;",
    "if (k < 0 && a[i + 1] == x) k = i;",
    "if (!r && a[i] == x) r = a[i];",  # nothing says that it is not 0
    "if (r < 9 && a[i] == x) r = r + 1;",
    "if (b[i] > 0) r += a[i];",  # a reduction anyway
    "r = a[i] > x;",
])  # fmt: skip
def test_loops_that_stay_as_they_are(statement: str) -> None:
    assert not changed(statement)


def test_only_declared_lengths_count() -> None:
    pointers = "int n, int x, const int *restrict a, const int *restrict b"
    assert not changed("r = r || a[i] == x;", pointers)
    assert not changed("r = r || a[i] == x;", loop="for (int i = 0; i <= n; i++)")
    assert changed("r = a[i] == x || r;", pointers)  # read anyway
    # the condition may never be evaluated
    assert not changed("r = r || a[i] == x;", loop="for (int i = x; i < n; i++)")
    assert not changed("r = r || a[x] == i;")
    assert not changed("r = r || a[0] == i;")


GRID = """int f(int n, int m, int rows, const int a[restrict n][m]) {{
    int r = 0;
    for (int j = 0; j < {rows}; j++) for (int i = 0; i < {columns}; i++) r = r || a[{row}][i] > 3;
    return r;
}}"""


@pytest.mark.parametrize(("rows", "columns", "row", "exist"), [
    ("n", "m", "j", True), ("n - 1", "m", "j + 1", True), ("n", "m - 1", "j", True), ("n", "m", "n - 1 - j", False),
    ("rows", "m", "j", False), ("n + 1", "m", "j", False), ("n", "m", "j + 1", False), ("n", "m", "rows", False),
    ("n", "m + 1", "j", False), ("n", "n", "j", False), ("n", "m", "0", False),
])  # fmt: skip
def test_rows_that_exist(rows: str, columns: str, row: str, exist: bool) -> None:
    """A loop around counts them; that they exist does not follow from the loop over their elements."""
    (source,) = parse_c("rows.c", text=GRID.format(rows=rows, columns=columns, row=row)).functions
    before = prepare(source.function)
    assert (asking_always(before, declared_arrays(source)) is not before) == exist


def test_promises_that_the_source_would_not_have_needed_are_dropped() -> None:
    """`a[i] * 3` may overflow behind the answer; `i + 1` may not, where the element exists."""
    text = """int f(int n, const int a[restrict n + 1]) {
    int k = -1;
    for (int i = 0; i < n; i++) if (k < 0 && a[i + 1] * 3 == 6) k = i;
    return k;
}"""
    (source,) = parse_c("answers.c", text=text).functions
    function = asking_always(prepare(source.function), declared_arrays(source))
    ops = {i.op: i.nsw for b, i in function.instructions() if isinstance(i, Binary) and b.label != "for.i.latch"}
    assert ops == {"mul": False, "add": True}
    assert sum(isinstance(i, Load) for _, i in function.instructions()) == 1
