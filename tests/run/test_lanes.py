"""Operations across lanes: machine code against the lock-step interpreter, tile by tile of the brush and its tails."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

import tensorrv as trv
from rv.semantics.lockstep import Lockstep
from rv.semantics.memory import Memory
from rv.semantics.undefined import Undefined
from rv.transform.linearize.control_uniform import canonical_control
from rv.widen.loops.variant_tree import Variant
from tensorrv.frontend.c.module import parse_c
from tensorrv.run.call import Array
from tests.run.lane_programs import COLUMNS, LaneProgram, random_program

RNG = np.random.default_rng(5)
Sizes = tuple[int, ...]


def tiles(variants: Sequence[Variant], sizes: Sizes) -> Iterator[tuple[Variant, Sizes]]:
    """The innermost variants in the order in which they run, with the iteration that their first lane is."""
    trips, start = sizes[0], 0
    for variant in variants:
        if variant.head:
            continue  # arrays that start at cache lines have no head
        width = variant.width
        end = trips if variant.level in variant.masked else start + (trips - start) // width * width
        for first in range(start, end, width):
            if len(sizes) == 1:
                yield variant, (first,)
            else:
                (inner,) = variant.children.values()
                yield from ((last, (first, *rest)) for last, rest in tiles(inner, sizes[1:]))
        start = max(start, end)


def aligned(shape: Sizes, dtype: str) -> Array:
    """An array that starts at a cache line."""
    room = np.zeros(int(np.prod(shape)) * np.dtype(dtype).itemsize + 64, np.uint8)
    start = -room.ctypes.data % 64
    return room[start : start + room.size - 64].view(dtype).reshape(shape)


def make_arrays(program: LaneProgram, sizes: Sizes) -> list[Array]:
    shape = (sizes[0],) if program.rank == 1 else (sizes[0], COLUMNS)
    real = "f4" if program.real == "float" else "f8"
    found = [aligned(shape, dtype) for dtype in ("u4", real, "u4", real)]
    found[0][...] = RNG.integers(0, 1 << 32, shape, dtype=np.uint64) >> RNG.integers(0, 32, shape, dtype=np.uint64)
    found[1][...] = np.round(RNG.normal(size=shape), 2)
    found[1][RNG.random(shape) < 0.2] = -0.0
    found[1][RNG.random(shape) < 0.1] = np.nan
    return found


@functools.cache
def thread_of(program: LaneProgram) -> Lockstep:
    (found,) = (f for f in parse_c("lanes.c", text=program.text).functions if f.name == "thread")
    return Lockstep(canonical_control(found.function))


def check(program: LaneProgram, brush: Sizes, sizes: Sizes, target: str = "native", tail: str = "auto", **plan: object) -> None:
    named = dict(zip("ji"[-program.rank :], brush, strict=True))
    kernel = trv.compile(program.text, function="kernel", brush=named, target=target, tail=tail, **plan)  # type: ignore[arg-type]
    (variants,) = kernel.kernel.tensorized.widened.context.root.children.values()
    arrays = make_arrays(program, sizes)
    expected = [array.copy() for array in arrays]
    memory = Memory()
    bases = [memory.map(name, array).base for (_, name), array in zip(program.arrays, expected, strict=True)]
    for variant, first in tiles(variants, sizes):
        lanes = variant.lanes(frozenset(range(program.rank)))
        threads = [[*(f + c for f, c in zip(first, lane, strict=True)), *sizes, *bases] for lane in lanes]
        thread_of(program).run(threads, memory)
    kernel(*sizes, *arrays)
    for found, wanted, (_, name) in zip(arrays, expected, program.arrays, strict=True):
        np.testing.assert_array_equal(found, wanted, f"{name} with {brush} {target} {tail} {sizes}\n{program.text}")


def check_random(seed: int) -> bool:
    """Whether the program could be checked: an undefined value that decides about something ends a run."""
    rank = 1 + seed % 3 % 2
    program = random_program(seed, rank)
    if rank == 1:
        brush: Sizes = ((1,), (2,), (4,), (8,), (16,), (5,), (24,))[seed % 7]
        sizes: Sizes = (3 * brush[0] + seed % 5,)
    else:
        brush = ((2, 4), (4, 2), (4, 4), (1, 8), (2, 16), (3, 5))[seed % 6]
        sizes = (2 * brush[0] + seed % 2, 2 * brush[1] + seed % 5)
    tail = ("auto", "mask", "peel", "scalar")[seed // 3 % 4]
    try:
        check(program, brush, sizes, ("native", "avx2")[seed // 5 % 2], tail, boscc=("auto", "all")[seed // 7 % 2])
    except Undefined:
        return False
    return True


def test_random_programs() -> None:
    assert sum(map(check_random, range(30))) > 20


@pytest.mark.long
def test_random_programs_long() -> None:
    assert sum(map(check_random, range(60, 3000))) > 2000


OPERATIONS = {
    "masks": ["rv_any(x & 4u)", "rv_all(x & 6u)", "rv_popcount(u > v)", "(unsigned)(rv_ballot(x & 2u) % 65521u)", "rv_mask()"],
    "places": ["rv_lane()", "rv_lanes()", "rv_first(x)", "rv_last(x)", "(unsigned)rv_first((x & 63u) * 0.5)"],
    "shuffles": ["rv_shuffle(x, rv_last(rv_lane()))", "rv_shuffle(x, rv_lane())", "rv_shuffle(x, rv_first(rv_lane() & 31))"],
    "integers": [f"(unsigned)rv_reduce_{f}({c}x)" for f in "add mul min max and or xor".split() for c in ("", "(int)")],
    "numbers": [f"(unsigned)(2097151.0 * fabs(rv_reduce_{f}(u)))" for f in ("add", "mul", "min", "max")],
}


@pytest.mark.parametrize("brush", [(24,), (4, 16)])
@pytest.mark.parametrize("group", sorted(OPERATIONS))
def test_operations_of_some_lanes(group: str, brush: Sizes) -> None:
    """In several registers, under conditions that hold in few lanes and in many."""
    place = "[i]" if len(brush) == 1 else "[j][i]"
    update = " ".join(f"y = y * 31u + (unsigned)({operation});" for operation in OPERATIONS[group])
    body = f"unsigned x = a{place}, y = x; double u = b{place} == b{place} ? b{place} : 0.25, v = 0.5;\n"
    body += f"if ((x & 7u) == 3u) {{ {update} }}\nif ((x & 7u) > 2u) {{ {update} }}\n{update}\nc{place} = y;\nd{place} = u;"
    sizes = tuple(2 * size + 1 for size in brush)
    for target, tail in (("native", "mask"), ("avx2", "peel")):
        check(LaneProgram(len(brush), "double", body), brush, sizes, target, tail)


ANYWHERE = """
#include "rv.h"
double f(int n, const double *a) {
    double s = rv_reduce_add(a[0]) + rv_lanes() + rv_lane() + rv_popcount(a[1]) + rv_ballot(a[1] > 0) + rv_mask();
    for (int i = 0; i < n; i++) s += rv_any(a[i]) ? rv_shuffle(a[i], 0) : rv_last(1);
    return s;
}
"""


def test_code_that_is_not_brushed_has_one_lane() -> None:
    a = np.array([1.5, 2.5, 0.0])
    assert trv.compile(ANYWHERE, brush=None)(3, a) == 1.5 + 1 + 0 + 1 + 1 + 1 + (1.5 + 2.5 + 1)


VOUCHED = """
#include "rv.h"
void f(int n, int m, int a[restrict n][m]) {{
    {first}
    for (int j = 0; j < n; j++)
        {second}
        for (int i = 0; i < m; i++) a[j][i] = {value};
}}
"""


@pytest.mark.parametrize(
    ("first", "second", "brush", "code"),
    [
        ("", "", {"i": 8}, "TRV311"),
        ("", "#pragma omp simd", {"i": 8}, ""),
        ("", "#pragma omp simd", {"j": 4, "i": 8}, "TRV311"),
        ("#pragma omp simd", "#pragma ivdep", {"j": 4, "i": 8}, ""),
    ],
)
def test_lanes_that_see_each_other_are_vouched_for(first: str, second: str, brush: dict[str, int], code: str) -> None:
    text = VOUCHED.format(first=first, second=second, value="rv_popcount(a[j][i])")
    if not code:
        trv.compile(text, brush=brush)
        return
    with pytest.raises(trv.Refused) as refused:
        trv.compile(text, brush=brush)
    assert [d.code for d in refused.value.diagnostics] == [code]
    trv.compile(text, brush=brush, assume_parallel=["j", "i"])


def test_large_ballots_are_refused() -> None:
    text = VOUCHED.format(first="#pragma omp simd", second="#pragma omp simd", value="rv_ballot(a[j][i]) != 0")
    trv.compile(text, brush=(4, 16))
    with pytest.raises(trv.Refused, match="a ballot has 64 bits, but the brush 8x16"):
        trv.compile(text, brush=(8, 16))


def test_numbers_of_lanes_stay_in_their_loop() -> None:
    """They have no operands, but mean something else outside."""
    text = """
#include "rv.h"
void f(int n, int *restrict a) {
    int outside = rv_lanes() + rv_lane();
    #pragma omp simd
    for (int i = 0; i < n; i++) a[i] = 100 * outside + rv_lane() + rv_lanes();
}
"""
    a = np.zeros(16, np.int32)
    trv.compile(text, brush=16, tail="scalar")(16, a)
    assert a.tolist() == [100 + lane + 16 for lane in range(16)]


@pytest.mark.parametrize(("target", "instructions"), [("avx512", ("kortest", "ktest")), ("avx2", ("vmovmsk", "vtest", "vptest"))])
def test_masks_are_asked_as_a_whole(target: str, instructions: tuple[str, ...]) -> None:
    """Two registers are united before they are tested; nothing is done lane by lane."""
    text = """
#include "rv.h"
void f(int n, const double *restrict a, double *restrict b) {
    #pragma omp simd
    for (int i = 0; i < n; i++) { b[i] = a[i]; if (rv_any(a[i] < 3)) b[i] = 7; }
}
"""
    lanes = {"avx512": 16, "avx2": 8}[target]
    assembly = trv.compile(text, brush=lanes, target=target, tail="scalar").assembly
    assert any(name in assembly for name in instructions)
    assert not any(name in assembly for name in ("vpextr", "vextract", "kshift"))
