"""Vector versions have gcc's names and calling conventions, and give the scalar function's bits."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from rv.target.llvm import linked
from rv.target.machine import resolve_target
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.drivers.declared import signatures_of
from tensorrv.pipeline.kernel import compile_function
from tensorrv.report.diagnostics import Refused
from tensorrv.schedule.plan import SCALAR, Plan
from tests.drivers.calls import program
from tests.drivers.declarations import DECLARATIONS, FUNCTIONS, LOOPS, WITHOUT_ADVSIMD, all_signatures, declared_functions
from tests.run.toolchain import REFERENCE, Toolchain, installed

# gcc 12 starts linear arguments at 0 again in vectorized epilogues
EPILOGUES = ("--param", "vect-epilogues-nomask=0")
GCC = ("-O2", "-fopenmp-simd", "-ffp-contract=off", "-fsigned-char", "-w")


def versions_object(tools: Toolchain, path: Path) -> Path:
    """All functions with their vector versions."""
    modules = [compile_function(f, Plan(SCALAR), tools.target).module for f in declared_functions(tools.target)]
    path.write_bytes(linked(modules).object)
    return path


@pytest.mark.parametrize("target", ["avx512", "neon"])
def test_names_are_gccs(target: str, tmp_path: Path) -> None:
    tools = installed(target)
    listing = tmp_path / "declared.s"
    subprocess.run([tools.compiler, *GCC, "-S", "-o", str(listing), str(FUNCTIONS)], check=True)
    expected = set(re.findall(r"^(_ZGV\w+):", listing.read_text(), re.MULTILINE))
    assert {signature.name for signature in all_signatures(tools.target)} == expected


CLAUSES = """
#pragma omp declare simd aligned(p) uniform(p) notinbranch
#pragma omp declare simd aligned(p:32) uniform(p) inbranch simdlen(4)
#pragma omp declare simd linear(p) linear(i:2)
double g0(const double *p, long i) { return p[i] * 2; }
#pragma omp declare simd
int g1(char c) { return c + 1; }
#pragma omp declare simd linear(c) simdlen(4)
short g2(char c, float x) { return (short)(c + x); }
#pragma omp declare simd uniform(a, b)
float g3(float a, float b) { return a + b; }
#pragma omp declare simd linear(p:4) aligned(p:16) notinbranch
void g4(float *p, float v) { *p = v; }
#pragma omp declare simd linear(p: s) uniform(s) notinbranch
void g5(float *p, int s, float v) { *p = v + s; }
#pragma omp declare simd linear(val(i):3) notinbranch
int g6(int i, int k) { return i * k; }
#pragma omp declare simd simdlen(2)
unsigned long g7(unsigned long i) { return i * 3; }
#pragma omp declare simd linear(i:-1) notinbranch
long g8(long i, double d) { return i + (long)d; }
"""


@pytest.mark.parametrize("target", ["avx512", "neon"])
def test_names_of_all_clauses_are_gccs(target: str, tmp_path: Path) -> None:
    """Several pragmas on a function, alignments left out, steps in variables, sizes that differ."""
    tools = installed(target)
    source, listing = tmp_path / "clauses.c", tmp_path / "clauses.s"
    source.write_text(CLAUSES)
    subprocess.run([tools.compiler, *GCC, "-S", "-o", str(listing), str(source)], check=True)
    expected = set(re.findall(r"^(_ZGV\w+):", listing.read_text(), re.MULTILINE))
    functions = parse_c(source).functions
    assert {s.name for f in functions for d in f.simd for s in signatures_of(f, d, tools.target)} == expected
    assert len(expected) > 15


@pytest.mark.parametrize("target", ["avx512", "neon"])
def test_calls(target: str, tmp_path: Path) -> None:
    """Every version, called as gcc's are."""
    tools = installed(target)
    signatures = all_signatures(tools.target)
    source = tmp_path / "calls.c"
    source.write_text(program(signatures))
    objects = [versions_object(tools, tmp_path / "ours.o"), *(tmp_path / f"{k}.o" for k in ("gcc", "reference", "calls"))]
    tools.compile(FUNCTIONS, objects[1], *GCC, *(f"-D{name}=gcc_{name}" for name in DECLARATIONS))
    tools.compile(FUNCTIONS, objects[2], *REFERENCE, *(f"-D{name}=ref_{name}" for name in DECLARATIONS))
    tools.compile(source, objects[3], "-O1", "-w", *(() if target == "neon" else ("-march=x86-64-v4",)))
    tools.link(objects, tmp_path / "program")
    assert tools.run(tmp_path / "program") == ""


OPTIONS = {"avx512": ("-march=x86-64-v4", "-mavx2", "-mavx", "-msse2"), "neon": ("-march=armv8-a",)}


@pytest.mark.parametrize("target", ["avx512", "neon"])
def test_gcc_calls_them_from_its_loops(target: str, tmp_path: Path) -> None:
    tools = installed(target)
    left_out = WITHOUT_ADVSIMD if target == "neon" else frozenset[str]()
    ours = versions_object(tools, tmp_path / "ours.o")
    scalar = tmp_path / "scalar.o"
    tools.compile(FUNCTIONS, scalar, *REFERENCE)
    tools.compile(LOOPS, tmp_path / "plain.o", *REFERENCE)
    main = tmp_path / "main.c"
    main.write_text((LOOPS.parent / "main.c").read_text())
    tools.compile(main, tmp_path / "main.o", "-O1")
    tools.link([tmp_path / "main.o", tmp_path / "plain.o", scalar], tmp_path / "expected")
    expected = tools.run(tmp_path / "expected")
    used: set[str] = set()
    for options in OPTIONS[target]:
        tools.compile(LOOPS, tmp_path / "loops.o", *GCC, *EPILOGUES, options)
        used |= set(re.findall(rb"_ZGV\w+", (tmp_path / "loops.o").read_bytes()))
        objects = [tmp_path / "main.o", tmp_path / "loops.o", ours]
        if left_out:
            # the others stay scalar in gcc's loops
            tools.compile(FUNCTIONS, scalar, *REFERENCE, *(f"-D{f.name}=gcc_{f.name}" for f in declared_functions(tools.target)))
            objects.append(scalar)
        tools.link(objects, tmp_path / "program")
        assert tools.run(tmp_path / "program") == expected, options
    assert len(used) > (5 if target == "neon" else 20)


def test_what_has_no_version_stays_scalar() -> None:
    """Callers know from the same rules that there is none."""
    declared = [f for f in parse_c(FUNCTIONS).functions if f.name == "mixed"]
    kernel = compile_function(declared[0], Plan(SCALAR), resolve_target("neon"))
    assert kernel.versions == ()
    assert [(d.severity, d.code) for d in kernel.diagnostics] == [("warning", "TRV142")]


def test_pragmas_say_what_the_declarations_do() -> None:
    assert {f.name: f.simd for f in parse_c(FUNCTIONS).functions} == {n: (d,) for n, d in DECLARATIONS.items()}


def test_lanes_must_not_depend_on_each_other() -> None:
    text = "#pragma omp declare simd uniform(p)\nvoid f(double x, double *p) { *p += x; }"
    (function,) = parse_c("f.c", text=text).functions
    with pytest.raises(Refused, match="the vector version '_ZGVbN2vu_f' cannot be generated"):
        compile_function(function, Plan(SCALAR), resolve_target("avx512"))
