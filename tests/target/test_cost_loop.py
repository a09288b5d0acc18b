"""The model of loops of machine code: worked out by hand, and beside llvm-mca on a few loops."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from autotune.model.steps import steps_of
from rv.cost.loop import cycles
from rv.target.description import load, machine_of
from rv.target.machine import resolve_target

ADDITIONS = "\tvaddpd\t(%rdi,%rax), %zmm0, %zmm1\n\tvaddpd\t64(%rdi,%rax), %zmm0, %zmm2\n\tvaddpd\t%zmm1, %zmm2, %zmm3\n"
CHAIN = "\tvmulpd\t%ymm1, %ymm0, %ymm0\n"
FUSED = "\tvfmadd213pd\t%ymm1, %ymm2, %ymm0\n"
LOOP = "\tvmovupd\t%zmm3, (%rsi,%rax)\n\taddq\t$128, %rax\n\tcmpq\t%rdx, %rax\n\tjb\t.LBB0_1\n"
NEON = "\tldr\tq1, [x0, x8]\n\tfadd\tv1.2d, v1.2d, v0.2d\n\tfadd\tv1.2d, v1.2d, v0.2d\n\tstr\tq1, [x1, x8]\n\tadd\tx8, x8, #16\n"


def of(name: str, text: str, architecture: str = "x86_64"):
    return cycles(load(name), steps_of(text.splitlines(), architecture))


def test_ports_limit() -> None:
    assert of("golden_cove", ADDITIONS).ports == 1.5
    assert of("zen4", ADDITIONS).ports == 3
    assert of("zen5", ADDITIONS).ports == 1.5


def test_a_chain_from_one_iteration_to_the_next_limits() -> None:
    found = of("skylake_x", CHAIN + LOOP)
    assert (found.chain, found.limit) == (4, "chain")
    assert of("haswell", CHAIN).total == 5


def test_the_divider_limits() -> None:
    assert of("golden_cove", "\tvdivpd\t%zmm1, %zmm2, %zmm3\n").divider == 16
    assert of("neoverse_v2", "\tfdiv\tv0.2d, v1.2d, v2.2d\n", "aarch64").divider == 10


def test_masked_registers_are_read_where_lanes_are_kept() -> None:
    keeps, clears = (f"\tvaddpd\t%zmm1, %zmm2, %zmm3 {{%k1}}{zero}\n" for zero in ("", " {z}"))
    assert (of("golden_cove", keeps).chain, of("golden_cove", clears).chain) == (4, 0)


@pytest.mark.parametrize(
    ("cpu", "text"),
    [
        ("sapphirerapids", ADDITIONS * 8 + LOOP),
        ("skylake-avx512", ADDITIONS * 8 + LOOP),
        ("znver4", FUSED * 3 + LOOP),
        ("haswell", CHAIN),
        ("neoverse-v2", NEON),
    ],
)
def test_llvm_mca_says_the_same(cpu, text) -> None:
    mca = shutil.which("llvm-mca-19") or shutil.which("llvm-mca")
    if mca is None:
        pytest.skip("llvm-mca is not installed")
    target = resolve_target(cpu)
    command = [mca, f"-mcpu={cpu}", f"-mtriple={target.triple}", "-iterations=100"]
    said = subprocess.run(command, input=text + ".LBB0_1:\n", capture_output=True, text=True, check=True).stdout
    took = int(said.partition("Total Cycles:")[2].split()[0]) / 100
    steps = steps_of(text.splitlines(), target.architecture)
    assert cycles(machine_of(target), steps).total == pytest.approx(took, rel=0.2)
