"""`vectorize_function`: every lane gives what the scalar function gives in the interpreter."""

from __future__ import annotations

import re
from types import ModuleType

import numpy as np
import pytest

import rv
import tensorrv as trv
from rv.argument_shapes import ParameterShape
from rv.ir.function import Function
from rv.ir.types import FloatType, PointerType, Type, size_of
from rv.semantics.lockstep import run_lockstep
from rv.semantics.memory import Memory
from rv.semantics.scalar import Program
from tensorrv.frontend.c.module import parse_c
from tensorrv.run.call import Array
from tests.run.test_interpreter import _different

C = r"""
#include <math.h>
double smooth(double x, double y) { return sqrt(x * x + y) - (x > y ? x : y / 3); }

double early(double x, int n)
{
    double s = 0;
    if (x < 0)
        return -x;
    for (int k = 0; k < n; k++) {
        if (s > 4)
            return s + k;
        s += x;
        if (k == 7)
            continue;
        s *= 1.25;
    }
    return s;
}

int divided(int x, int y) { return y > 1 ? x / y : x % 7; }

float window(const float *t, int i, float x)
{
    float s = x;
    for (int k = 0; k < 3; k++)
        s = s * 0.5f + t[i + k];
    return s;
}

unsigned char narrow(unsigned char a, short b, long c) { return a * b + c; }

long moves(const int *p, long n) { return *p * n + p[1]; }

double constant(double unused) { return 2.5; }

double jumps(double x, unsigned n)
{
    double r = 1;
again:
    if (n & 1)
        r *= x;
    n >>= 1;
    x *= x;
    if (n)
        goto again;
    return r;
}
"""
SHAPES: dict[str, dict[str, ParameterShape]] = {
    "smooth": {},
    "early": {},
    "divided": {"y": trv.Linear(-3)},
    "window": {"t": trv.Uniform(), "i": trv.Linear()},
    "narrow": {"c": trv.Linear(1 << 40, wraps=True)},
    "moves": {"p": trv.Linear(8), "n": trv.Uniform()},
    "constant": {},
    "jumps": {},
}
LANES = (1, 2, 3, 8, 16, 32)
TABLE = 512


@pytest.mark.parametrize("library", [rv, trv], ids=["rv", "tensorrv"])
@pytest.mark.parametrize("mask", [False, True], ids=["all", "masked"])
@pytest.mark.parametrize("name", SHAPES)
def test_lanes_are_scalar_calls(name: str, mask: bool, library: ModuleType) -> None:
    function = parse_c("functions.c", text=C).function(name).function
    random = np.random.default_rng(5)
    table = random.integers(0, 1 << 16, TABLE).astype(np.int32).view(np.float32) if name == "moves" else _numbers(random)
    for lanes in LANES:
        version = library.vectorize_function(function, width=lanes, shapes=SHAPES[name], mask=mask)
        for _ in range(6):
            given = [_argument(random, p.var.type, p.var.name in ("i", "n", "y")) for p in function.parameters]
            active = random.random(lanes) < 0.5 if mask else None
            found = _call(version, function, given, table, active)
            for lane in range(lanes) if active is None else np.flatnonzero(active):
                expected = _scalar(function, given, table, int(lane))
                assert not _different(found[lane : lane + 1], expected).size, f"{lanes} lanes, {given}, lane {lane}"


def _numbers(random: np.random.Generator) -> Array:
    return random.uniform(-2, 2, TABLE).astype(np.float32)


def _argument(random: np.random.Generator, type_: Type, small: bool) -> Array:
    """Values for all lanes; a parameter that is no vector takes the first one."""
    if isinstance(type_, FloatType):
        return random.uniform(-2, 2, 64).astype(f"f{size_of(type_)}")
    return random.integers(0 if small else -100, 40, 64).astype(f"i{size_of(type_)}")


def _call(version: trv.Vectorized, function: Function, given: list[Array], table: Array, active: Array | None) -> Array:
    """The version on arrays of at least as many values as it has lanes; what is no vector takes the first one."""
    found = SHAPES.get(function.name, {})
    arguments: list[object] = []
    for parameter, array in zip(function.parameters, given, strict=True):
        varying = isinstance(found.get(parameter.var.name, trv.Varying()), trv.Varying)
        memory = isinstance(parameter.var.type, PointerType)
        arguments.append(table if memory else array[: _lanes(version)] if varying else array[0].item())
    result: Array = version(*arguments) if active is None else version(*arguments, mask=active)
    return result


def _lanes(version: trv.Vectorized) -> int:
    return int(version.name.rpartition("_")[2])


def _scalar(function: Function, given: list[Array], table: Array, lane: int) -> Array:
    """What the interpreter says about one lane."""
    memory = Memory()
    base = memory.map("table", table.view(np.uint8)).base
    arguments = []
    for parameter, array in zip(function.parameters, given, strict=True):
        shape = SHAPES[function.name].get(parameter.var.name, trv.Varying())
        at = lane * (shape.step if isinstance(shape, trv.Linear) else 0)
        if isinstance(parameter.var.type, PointerType):
            arguments.append(base + at)
        elif isinstance(shape, trv.Varying):
            arguments.append(array[lane].item())
        else:
            arguments.append(array[0].item() + at)
    returned = Program(function).run(arguments, memory)
    kind = "f" if isinstance(function.result, FloatType) else "i"
    return np.array([returned]).astype(f"{kind}{size_of(function.result)}")


@pytest.mark.parametrize("library", [rv, trv], ids=["rv", "tensorrv"])
def test_vectors_stay_in_registers(library: ModuleType) -> None:
    """Neither a loop over lanes nor memory for them is left."""
    function = parse_c("functions.c", text=C).function("smooth").function
    for target in ("avx512", "avx2", "neon"):
        for mask in (False, True):
            assembly = library.vectorize_function(function, width=8, mask=mask, target=target).compile().assembly
            code = [line for line in assembly.splitlines() if line.startswith("\t") and not line.startswith("\t.")]
            assert not re.search(r"^\t(j\w+|b|b\.\w+|cbn?z|tbn?z)\t|%rsp\)|\[sp", "\n".join(code), re.MULTILINE), assembly


def test_values_of_wrong_types() -> None:
    function = parse_c("functions.c", text=C).function("window").function
    for options, message in (({"shapes": {"t": "uniform"}}, "the shape of 't' is"), ({"width": 2.5}, "'float' object")):
        with pytest.raises(TypeError, match=message):
            trv.vectorize_function(function, **{"width": 8, **options})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a step is an integer"):
        trv.Linear(1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown target"):
        trv.vectorize_function(function, width=8, target="nothing")


def test_shapes_that_do_not_fit() -> None:
    function = parse_c("functions.c", text=C).function("window").function
    with pytest.raises(ValueError, match="no parameter 'k'; its parameters are t, i, x"):
        trv.vectorize_function(function, width=8, shapes={"k": trv.Uniform()})
    with pytest.raises(ValueError, match="'x' is neither an integer nor a pointer"):
        trv.vectorize_function(function, width=8, shapes={"x": trv.Linear()})
    with pytest.raises(ValueError, match="must be a uniform integer parameter"):
        trv.vectorize_function(function, width=8, shapes={"i": trv.Linear("x")})


def test_functions_that_cannot_be_vectorized_are_refused() -> None:
    function = parse_c("calls.c", text="#include <math.h>\ndouble f(double x) { return x + lgamma(x); }").function("f").function
    with pytest.raises(trv.Refused, match="lgamma"):
        trv.vectorize_function(function, width=8)


def test_vector_math() -> None:
    """Calls of libm are gone where vector functions are wanted."""
    function = parse_c("f.c", text="#include <math.h>\ndouble f(double x) { return exp(x) + tgamma(x); }").function("f").function
    texts = [trv.vectorize_function(function, width=4, math=math).llvm for math in ("libm", "vector")]
    assert ["@exp(" in text for text in texts] == [True, False]
    assert all("@tgamma(" in text for text in texts)


ACROSS = r"""
#include "rv.h"
double together(double x, int n)
{
    int rounds = 0;
    while (rv_any(x < 10)) {
        x = x * 1.5 + 1;
        rounds++;
    }
    if (n > 0 && rv_all(x > 0))
        x += rv_popcount(n > 3);
    return x + rounds;
}
"""


@pytest.mark.parametrize("library", [rv, trv], ids=["rv", "tensorrv"])
@pytest.mark.parametrize("mask", [False, True], ids=["all", "masked"])
def test_lanes_of_a_call_communicate(mask: bool, library: ModuleType) -> None:
    """They do what threads in lock step do; with a mask, what as many threads as are active do."""
    function = parse_c("across.c", text=ACROSS).function("together").function
    random = np.random.default_rng(9)
    for lanes in (1, 4, 8, 16):
        version = library.vectorize_function(function, width=lanes, mask=mask)
        for _ in range(8):
            x, n = random.uniform(-2, 12, lanes), random.integers(-2, 6, lanes).astype(np.int32)
            active = random.random(lanes) < 0.6 if mask else np.ones(lanes, bool)
            found = version(x, n, mask=active) if mask else version(x, n)
            threads = [(x[k].item(), n[k].item()) for k in np.flatnonzero(active)]
            expected = run_lockstep(function, threads, Memory()) if threads else ()
            assert list(found[active]) == list(expected)


@pytest.mark.parametrize("width", [1, 4, 8])
def test_text_is_a_function_too(width: int) -> None:
    """rv is a library of its own: P-LLVM in, vectors out, no C anywhere."""
    text = """define double @clamp(double %x, ptr %low, i64 %i) {
    b:
      %p = elemptr double, %low [%i]
      %l = load double, %p
      %c = fcmp olt double %x, %l
      branch %c, below, done
    below:
      jump done
    done:
      %r = phi double [%x, b], [%l, below]
      return double %r
    }"""
    low, x = np.arange(20.0), np.array([3.5, 0, 9, 2, -1, 30, 8, 7.0])[:width]
    version = rv.vectorize_function(text, width=width, shapes={"low": rv.Uniform(), "i": rv.Linear()})
    assert list(version(x, low, 2)) == list(np.maximum(x, low[2 : 2 + width]))
    assert rv.vectorize_function(rv.parse_function(text), width=width).name == f"clamp_{width}"
    with pytest.raises(ValueError, match="@clamp is not well formed: "):
        rv.vectorize_function(text.replace("return double %r", "return double %q"), width=width)
    with pytest.raises(ValueError, match=r"sqrt takes \(double\) and gives double"):
        rv.vectorize_function(text.replace("  branch", "  %s = call float @sqrt(double %x)\n  branch"), width=width)


def test_cycles_with_two_entries_are_the_callers_mistake() -> None:
    text = """define i32 @f(i32 %x) {
    start:
      %c = icmp sgt i32 %x, 3
      branch %c, a, b
    a:
      %p = phi i32 [%x, start], [%less, b]
      %d = icmp sgt i32 %p, 0
      branch %d, b, done
    b:
      %q = phi i32 [%x, start], [%p, a]
      %less = sub i32 %q, 2
      jump a
    done:
      return i32 %p
    }"""
    with pytest.raises(ValueError, match="@f has a cycle that can be entered at (a and b|b and a)"):
        rv.vectorize_function(text, width=4)


def test_wrong_arguments_of_a_version() -> None:
    function = parse_c("functions.c", text=C).function("window")
    version = trv.vectorize_function(function, width=4, shapes=SHAPES["window"])
    table, x = np.zeros(9, np.float32), np.zeros(4, np.float32)
    assert list(version(table, 1, x)) == [0] * 4
    for wrong, message in [
        ((table, 1), "takes 3 arguments, not 2"),
        ((1.0, 1, x), "argument 1 of window_4 must be an array, not float"),
        ((table[::2], 1, x), "must be a contiguous array"),
        ((table, 1.5, x), "argument 2 of window_4 must be a number of type i32"),
        ((table, 1, x[:3]), "must be 4 values of type float32"),
        ((table, 1, x.astype(complex)), "must be 4 values of type float32"),
    ]:
        with pytest.raises(TypeError, match=message):
            version(*wrong)
    with pytest.raises(TypeError, match="takes no mask"):
        version(table, 1, x, mask=x > 0)
