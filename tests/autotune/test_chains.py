"""Loops in which every iteration waits for the one before: the tuner's model predicts their latencies, as llvm-mca does."""

import re
from pathlib import Path

import pytest

from autotune.measure.subject import element_bits, work_of
from autotune.model.counts import hot_loop
from autotune.model.prediction import predict
from autotune.model.steps import with_chain
from autotune.model.traffic import Traffic
from rv.target.description import machine_of
from rv.target.machine import resolve_target
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.kernel import compile_function
from tensorrv.schedule.plan import SCALAR, Brush, Plan
from tests.llvm_mca import total_cycles

# llvm-mca lets an operation with an operand in memory wait for the operation before it and for the load, one after the other:
# so operations of these chains have none
SUM = "double f(int n, double q, const double a[n]) { double s = 0; for (int i = 0; i < n; ++i) s += q * a[i]; return s; }"
SERIES = """void f(int n, double q, double r, double b[restrict n])
{ double x = 0; for (int i = 0; i < n; ++i) { x = x * q + r; b[i] = x; } }"""
COPY = "void f(int n, const double a[restrict n], double b[restrict n]) { for (int i = 0; i < n; ++i) b[i] = 2 * a[i]; }"
CPUS = ("znver4", "sapphirerapids", "haswell", "neoverse-v2")


def mca_cycles(lines: list[str], cpu: str) -> float:
    """The cycles of an iteration in the long run; branches go nowhere."""
    code = [line for line in lines if not line.startswith((".L", "#", "//")) and not line.lstrip().startswith(("#", "//", "."))]
    labels = sorted(set(re.findall(r"\.LBB\d+_\d+", "\n".join(code))))
    body = "\n".join([*code, *(f"{label}:" for label in labels), ""])
    return (total_cycles(body, cpu, 200) - total_cycles(body, cpu, 100)) / 100


def compiled(text: str, cpu: str, brush: Brush):
    function, target = parse_c(Path("f.c"), text=text).functions[0], resolve_target(cpu)
    kernel = compile_function(function, Plan(brush), target)
    return kernel.module.assembly, work_of(function), element_bits(function), target


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("text", [SUM, SERIES])
def test_chains_limit_sums_and_recurrences(text: str, cpu: str) -> None:
    assembly, work, bits, target = compiled(text, cpu, SCALAR)
    counts, machine = with_chain(assembly, work, 1, bits, target), machine_of(target)
    found = predict(counts, Traffic(), machine)
    loop, plain = hot_loop(assembly, work, 1, bits)
    took = mca_cycles([line for block in loop.blocks for line in block], cpu)
    per_cycle = counts.points * machine.ghz * machine.clock.get(counts.bits, 1.0)
    assert found.limit == "latency"
    assert found.nanoseconds * per_cycle == pytest.approx(took, rel=0.1)
    without = predict(plain, Traffic(), machine)
    assert without.nanoseconds < 0.8 * found.nanoseconds


@pytest.mark.parametrize("cpu", CPUS)
def test_independent_iterations_are_not_limited_by_latency(cpu: str) -> None:
    target = resolve_target(cpu)
    assembly, work, bits, target = compiled(COPY, cpu, Brush((4 * target.register_bits // 64,)))
    assert predict(with_chain(assembly, work, 4, bits, target), Traffic(), machine_of(target)).limit != "latency"
