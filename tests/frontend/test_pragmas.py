"""What pragmas before loops and functions say."""

from __future__ import annotations

import pytest

from rv.ir.hints import NO_HINTS, hint_texts
from tensorrv.frontend.c.module import parse_c
from tensorrv.unit.simd_declaration import SimdDeclaration
from tensorrv.unit.unit import Unit


def only_function(text: str) -> Unit:
    (found,) = parse_c("p.c", text=text).functions
    return found


def said(pragma: str, inner: str = "") -> dict[str, tuple[str, ...]]:
    text = f"""enum {{ four = 4 }};
#define W 8
void f(int n, int m, int k, double s, double *restrict A, double *restrict B) {{
#pragma {pragma}
    for (int j = 0; j < n; j++) {{
        {inner}
        for (int i = 0; i < m; i++) A[j * m + i] = s;
    }}
}}"""
    return {b.label: hint_texts(b.hints) for b in only_function(text).function.blocks if b.hints != NO_HINTS}


TAKEN = "withdrawn"


@pytest.mark.parametrize(
    ("text", "outer"),
    [
        ("omp simd", ("lanes", "simd")),
        ("omp simd reduction( + : s, k ) simdlen (8)", ("lanes", "simd", "simdlen 8")),
        ("omp  parallel   for schedule(static) nowait num_threads(4)", ("threads",)),
        ("omp parallel for simd", ("threads", "simd")),
        ("omp simd safelen(W) simdlen(four / 2)", ("lanes", "simd", "simdlen 2", "safelen 8")),
        ("omp simd, safelen(W * 2), order(concurrent)", ("lanes", "simd", "safelen 16")),
        (
            "omp simd linear(k: 2) aligned(A, B: 64) private(s) nontemporal(A)",
            ("lanes", "simd", "nontemporal A", "aligned A:64 B:64"),
        ),
        ("omp simd aligned(A) aligned(B: W * 4)", ("lanes", "simd", "aligned B:32")),
        ("omp simd linear(val(k): n) lastprivate(s)", ("lanes", "simd")),
        ("omp simd linear(k: val, step(2))", ("lanes", "simd")),
        ("omp simd if(1)", ("lanes", "simd")),
        ("omp simd simdlen(8) if(simd: n > 100)", ("simd", "simdlen 8", TAKEN)),
        ("omp parallel for simd if(parallel: n > 100)", ("lanes", "simd")),
        ("omp parallel for simd if(simd: n > 100)", ("threads", "simd")),
        ("omp simd if(n ? m : k)", ("simd", TAKEN)),
        ("omp simd reduction(+: A[0:n])", ("simd", TAKEN)),
        ("omp simd reduction(inscan, +: s)", ("simd", TAKEN)),
        ("omp parallel for ordered", (TAKEN,)),
        ("omp parallel for if(n > 3)", (TAKEN,)),
        ("omp parallel for num_threads(1)", (TAKEN,)),
        ("omp parallel for num_threads(k)", (TAKEN,)),
        ("omp parallel for schedule(static, 4)", (TAKEN,)),
        ("omp parallel for schedule(static, 1)", (TAKEN,)),
        ("omp parallel for schedule(monotonic: dynamic, 4)", (TAKEN,)),
        ("omp parallel for schedule(dynamic, 1)", ("threads",)),
        ("omp parallel for schedule(guided)", ("threads",)),
        ("omp parallel for schedule(runtime)", (TAKEN,)),
        ("omp parallel for schedule(static, 4) num_threads(k) order(concurrent)", ("threads",)),
        ("omp for nowait", (TAKEN,)),
        ("omp loop bind(parallel)", (TAKEN,)),
        ("omp parallel loop num_threads(k)", ("threads",)),
        ("omp teams distribute parallel for dist_schedule(static)", ("threads",)),
        ("omp teams distribute dist_schedule(static, 8)", (TAKEN,)),
        ("omp taskloop grainsize(4)", (TAKEN,)),
        ("omp taskloop simd", ("lanes", "simd")),
        ("omp parallel", ()),
        ("omp target teams", ()),
        ("ivdep", ("assumed",)),
        ("GCC ivdep", ("lanes",)),
        ("novector", ("novector",)),
        ("clang loop vectorize(assume_safety) interleave(enable)", ("lanes",)),
        ("clang loop vectorize(disable)", ("novector",)),
        ("clang loop vectorize_width(8)", ("simdlen 8",)),
        ("clang loop unroll(full)", ()),
        ("GCC unroll 4", ()),
        ("once", ()),
    ],
)
def test_loops(text: str, outer: tuple[str, ...]) -> None:
    found = {label: tuple(TAKEN if hint.startswith(TAKEN) else hint for hint in hints) for label, hints in said(text).items()}
    assert found == ({"for.j": outer} if outer else {})


@pytest.mark.parametrize(
    ("text", "outer", "inner"),
    [
        ("omp simd collapse(2)", ("lanes", "simd"), ("lanes", "simd")),
        ("omp simd collapse(2) simdlen(8)", ("lanes", "simd"), ("lanes", "simd", "simdlen 8")),
        ("omp parallel for simd collapse(2) safelen(8)", ("threads",), ("threads", "simd")),
        ("omp simd collapse(2) safelen(8)", (), ("lanes", "simd", "safelen 8")),
        ("omp parallel for collapse(2)", ("threads",), ("threads",)),
        ("omp parallel for collapse(1)", ("threads",), ()),
    ],
)
def test_collapsed_loops(text: str, outer: tuple[str, ...], inner: tuple[str, ...]) -> None:
    assert said(text) == ({"for.j": outer} if outer else {}) | ({"for.i": inner} if inner else {})


def test_collapse_ends_after_its_loops() -> None:
    text = """void f(int n, double *A) {
#pragma omp simd collapse(2)
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) A[i] = 1;
    }
    for (int l = 0; l < n; l++) A[l] = 2;
}"""
    assert {b.label for b in only_function(text).function.blocks if b.hints != NO_HINTS} == {"for.k", "for.j"}


def test_private_variables_are_new_in_every_iteration() -> None:
    """What they are after the loop is what they were before; the counter of the loop is not among them."""
    text = """int f(int n, int *A) {
    int t = 7, i;
#pragma omp parallel for private(t, i)
    for (i = 0; i < n; i++) { t = A[i]; A[i] = t * t; }
    return t + i;
}"""
    from rv.semantics.memory import Memory
    from rv.semantics.scalar import run

    memory = Memory()
    assert run(only_function(text).function, [3, memory.map("A", bytearray(12))], memory) == 7 + 3


def test_functions() -> None:
    text = """#define W 4
#pragma omp declare simd uniform(a, s) linear(i: 2) linear(j: s) aligned(a: 64) simdlen(2 * W) notinbranch
float g(const float *a, int i, int j, int s, float x);
#pragma omp declare simd
_Pragma("omp declare simd inbranch")
float g(const float *a, int i, int j, int s, float x) { return a[i + j * s] + x; }
"""
    assert only_function(text).simd == (
        SimdDeclaration(("a", "s"), (("i", 2), ("j", "s")), (("a", 64),), 8, False),
        SimdDeclaration(),
        SimdDeclaration(inbranch=True),
    )


def test_statements_between_collapsed_loops_take_the_promise_back() -> None:
    """OpenMP 5.0 allows them; which iterations they belong to is not specified."""
    hints = said("omp parallel for collapse(2)", "B[j] = 0;")
    assert list(hints) == ["for.j"] and hints["for.j"][0].startswith("withdrawn there are statements between")


def test_a_loop_without_a_team_makes_none() -> None:
    """`omp for` inside of it still belongs to threads of callers."""
    text = """void f(int n, const int *x, int *h) {
#pragma ivdep
    for (int j = 0; j < n; j++) {
#pragma omp for
        for (int i = 0; i < n; i++) h[x[i]]++;
    }
}"""
    function = only_function(text)
    assert [note.code for note in function.notes] == ["TRV025"]
    assert function.function.block("for.i").hints.withdrawn


def test_what_iterations_hand_on_in_memory_takes_the_promise_back() -> None:
    """A sum in a global variable may be an element of what the loop writes."""
    text = """int total;
void f(int n, const int *x, int *o) {
#pragma omp parallel for reduction(+: total)
    for (int i = 0; i < n; i++) { total += x[i]; o[x[i]] = i; }
}"""
    assert only_function(text).function.block("for.i").hints.withdrawn == "`total` is carried between iterations"
