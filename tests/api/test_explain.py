"""Every branch of the source is explained: whether lanes may differ there, what it has become, and why."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tensorrv as trv
from rv.analysis.cfg.loops import find_loops
from rv.ir.function import Function
from rv.ir.instructions import Branch, Select
from rv.ir.source import Span
from rv.target.machine import resolve_target
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.explain.nests import NestReport, explain, explain_kernel
from tensorrv.pipeline.explain.text import explanation_text
from tensorrv.pipeline.kernel import compile_function
from tensorrv.schedule.plan import Brush, Plan

KERNELS = Path(__file__).parents[2] / "kernels"
CASES = Path(__file__).parents[1] / "run" / "cases"

TEXT = """void f(int n, int m, int mode, const double *restrict a, const int *restrict w, double *restrict b)
{
    if (n < 3)
        return;
    for (int i = 0; i < n; i++) {
        double x = a[i];
        if (x > 0)
            x = 2 * x;
        if (mode == 2)
            x = x + 1;
        for (int k = 0; k < m; k++) {
            if (w[k])
                x += w[k];
            if (x > 100 && k > 3)
                break;
        }
        int t = w[i];
        while (t > 0) {
            if (t == mode) goto out;
            t -= 3;
        }
    out:
        switch (w[i]) {
        case 0: b[i] = 1; break;
        case 1: x = x * 3;
        }
        b[i] += x > 5 ? x : mode ? t : 2;
    }
}
"""


def reports(text: str, brush: object = 8, **options: object) -> tuple[NestReport, ...]:
    kernel = trv.compile(text, brush=brush, **options).kernel  # type: ignore[arg-type]
    return explain(kernel.tensorized, kernel.source.sources)


def test_what_became_of_every_branch() -> None:
    (nest,) = reports(TEXT)
    assert [(b.line, b.text, b.differs_along, b.fate) for b in nest.branches] == [
        (3, "n < 3", (), "scalar"),
        (7, "x > 0", ("i",), "values"),
        (9, "mode == 2", (), "values"),
        (11, "k < m", (), "branch"),
        (12, "w[k]", (), "values"),
        (14, "x > 100", ("i",), "predicates"),
        (14, "k > 3", (), "branch"),
        (18, "t > 0", ("i",), "predicates"),
        (19, "t == mode", ("i",), "predicates"),
        (24, "case", ("i",), "predicates"),
        (25, "case", ("i",), "values"),
        (27, "x > 5 ? x : mode ? t : 2", ("i",), "values"),
        (27, "mode ? t : 2", (), "values"),
    ]


def test_why_a_branch_differs() -> None:
    (nest,) = reports(TEXT)
    (found,) = (branch for branch in nest.branches if branch.text == "t == mode")
    assert [re.sub(r"%[a-z]+\.\d+(\.\d+)*", "%_", cause) for cause in found.causes] == [
        "the branch in while.t.body (line 19, `t == mode`) is divergent: its condition is %_",
        "%_ (line 19, `t == mode`) varies: it compares %_",
        "%_ (line 17) varies: it may have the value of %t",
        "%t (line 17, `w[i]`) varies: it is loaded through %_",
        "%_ (line 17, `w[i]`) varies: it is an address computed from %_",
        "%_ (line 6, `i`) varies: it is computed from %i",
        "%i (line 5) varies: it is different in every thread",
    ]


def test_why_a_branch_is_uniform() -> None:
    (nest,) = reports(TEXT)
    causes = {branch.text: branch.causes for branch in nest.branches}
    assert causes["n < 3"] == ("it is outside of the brush",)
    assert re.sub(r"%tmp\.\d+", "%_", "\n".join(causes["k < m"])).split("\n") == [
        "the branch in for.k (line 11, `k < m`) is uniform: its condition is %_",
        "%_ (line 11, `k < m`) is uniform: it compares %k, %m",
        "%k (line 11) is uniform: all threads take the same one of %k.1",
        "%m (line 1) is uniform: it has the same value in all threads on entry",
        "%k.1 (line 11, `k++`) is uniform: it is computed from %k",
    ]
    assert any("is uniform: it is loaded through" in cause for cause in causes["w[k]"])
    assert causes["w[k]"][-1].startswith("%k.1 (line 11, `k++`)") or "%w (line 1)" in "\n".join(causes["w[k]"])


def test_causes_along_both_dimensions() -> None:
    text = """void f(int n, int m, const double a[restrict n][m], double b[restrict n][m])
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            b[j][i] = 0;
            if (a[j][i] > 0) b[j][i] = a[j][i] / 3;
            if (a[j][0] > 0) b[j][i] = 1 / a[j][0];
        }
}
"""
    ((both, row),) = (nest.branches for nest in reports(text, (4, 8)))
    assert both.differs_along == ("j", "i") and row.differs_along == ("j",)
    assert "%j (line 3) varies: it is different in every thread" in both.causes
    assert both.causes[-1] == "along i: %i (line 4) varies: it is different in every thread"
    assert row.causes[-1] == "%j (line 3) varies: it is different in every thread"


def test_operations_across_lanes_are_why() -> None:
    text = """#include "rv.h"
void f(int n, const double *restrict a, double *restrict b)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        if (rv_any(a[i] > 0)) b[i] = 1;
}
"""
    ((found,),) = (nest.branches for nest in reports(text))
    assert (found.differs_along, found.fate) == ((), "branch")
    assert found.causes[-1].endswith("any has the same result in all threads")


def test_conditions_that_are_asked_together() -> None:
    text = """void f(int n, int m, const double a[restrict n][m], double b[restrict n][m])
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            if (j == 0 || i == m - 1) b[j][i] = 0;
            else b[j][i] = a[j][i + 1] / 3;
}
"""
    ((first, second),) = (nest.branches for nest in reports(text, (4, 8)))
    assert (first.text, first.fate, first.differs_along) == ("j == 0", "test", ("j",))
    assert (second.text, second.fate, second.differs_along) == ("i == m - 1", "predicates", ("j", "i"))


def test_agreement_in_spite_of_operands() -> None:
    text = """void f(int n, const double *restrict a, double *restrict b)
{
    for (int i = 0; i < n; i++)
        if (i / 8 % 2) b[i] = a[i];
        else b[i] = 2 * a[i] / 3;
}
"""
    ((found,),) = (nest.branches for nest in reports(text, tail="scalar"))
    assert found.differs_along == ()
    assert any("it is the same in all threads although %i varies" in cause for cause in found.causes)


def test_what_has_been_told_is_not_told_again() -> None:
    text = explanation_text("f", reports(TEXT))
    assert text.count("%m (line 1) is uniform") == 1 and text.count("%k (line 11) is uniform") == 1
    assert "  branch      line 9:13 `mode == 2`: uniform, converted to selects\n" in text
    assert "  branch      line 3:9 `n < 3`: uniform, scalar code\n" in text


VERSIONS = """#pragma omp declare simd uniform(t, n) linear(i)
double smooth(const double *t, int n, int i, double x)
{
    if (x < 0)
        return t[i];
    double s = 0;
    for (int k = 0; k < n; k++)
        if (t[k] > 1)
            s = 2 * s + x;
    return s;
}
"""


def test_vector_versions() -> None:
    """Branches are those of the function; one version without and one with a mask is explained."""
    kernel = trv.compile(VERSIONS, brush=None, target="avx512")
    plain, masked = explain_kernel(kernel.kernel)
    assert (plain.version, masked.version) == ("_ZGVeN8uulv_smooth", "_ZGVeM8uulv_smooth")
    for report in (plain, masked):
        found = {branch.text: branch for branch in report.branches}
        assert list(found) == ["x < 0", "k < n", "t[k] > 1"]
        assert [branch.differs_along for branch in found.values()] == [("lane",), (), ()]
        assert found["x < 0"].causes[-1] == "%lane varies: it is different in every thread"
    text = explanation_text("smooth", explain_kernel(kernel.kernel))
    assert "_ZGVeM8uulv_smooth: 8 lanes\n" in text and "x.lane" not in text.replace("%x.lane", "") and "loads" not in text


def decided(function: Function) -> set[Span]:
    """Where the source decides something, but for the tests of loops."""
    loops = find_loops(function).loops
    return {
        place.span
        for block in function.blocks
        for place in (*block.body, block.terminator)
        if isinstance(place, Branch | Select) and place.span is not None
        if not (block.label in loops and isinstance(place, Branch))
    }


FILES = [p for p in sorted(KERNELS.glob("*.c")) if re.search(r"\bif\b|\?|while", p.read_text())]
FILES += [CASES / f"{name}.c" for name in ("jumps", "divergent_exits", "divergent_bodies")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_all_decisions_of_the_source_are_there(path: Path) -> None:
    functions = [f for f in parse_c(path).functions if decided(f.function)]
    assert functions
    for function in functions:
        try:
            tensorized = compile_function(function, Plan(Brush((8,))), resolve_target("avx512")).tensorized
        except trv.Refused:
            continue  # nothing is brushed: there are no lanes that could differ
        explained = {(b.line, b.column) for nest in explain(tensorized, function.sources) for b in nest.branches}
        assert {(span.line, span.column) for span in decided(function.function)} <= explained, function.name


def test_a_search_in_strips_is_explained() -> None:
    """The loop over strips and the one inside a strip have the name of the source's one loop."""
    text = """int f(int n, const int a[restrict n])
    {
        int k = n;
        for (int i = 0; i < n; i++)
            if (a[i] < 0) { k = i; break; }
        return k;
    }"""
    (nest,) = explain_kernel(trv.compile(text, brush="32", target="avx512").kernel)
    assert [loop.name for loop in nest.loops] == ["i", "i"]
    assert nest.brush == "32 (i=32)"
