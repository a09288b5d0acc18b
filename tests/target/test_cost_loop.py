"""The model of loops of machine code: worked out by hand, and beside llvm-mca on a few loops."""

from __future__ import annotations

import pytest

from autotune.model.steps import steps_of
from rv.cost.loop import cycles
from rv.target.description import load, machine_of
from rv.target.machine import resolve_target
from tests.llvm_mca import total_cycles

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


def test_a_chain_inside_an_iteration_waits_for_the_window() -> None:
    # 60 operations after each other, and 280 beside them: an iteration begins no sooner than when 21 of the one before are done
    chain, beside = "\tvmovapd\t%ymm9, %ymm0\n" + FUSED * 60, "\tnop\n" * 279
    found = of("zen4", chain + beside)
    assert (found.ports, found.chain, found.issue) == (30, 0, pytest.approx(340 / 6))
    assert found.limit == "window" and found.total >= 80
    assert of("golden_cove", chain + beside).total < found.total
    assert of("zen4", "\tvmovapd\t%ymm9, %ymm0\n" + FUSED * 20).total == pytest.approx(10, rel=0.15)


def test_an_addend_is_read_late_where_the_core_forwards_it() -> None:
    fused = "\tfmla\tv0.2d, v1.2d, v2.2d\n"
    assert of("neoverse_v2", fused, "aarch64").chain == 2
    assert of("neoverse_v2", fused.replace("v1", "v0"), "aarch64").chain == 4
    assert of("apple_m1", fused, "aarch64").chain == 4


def test_operations_are_as_many_as_the_core_makes_of_them() -> None:
    blend = "\tvblendvpd\t%ymm1, %ymm2, %ymm3, %ymm4\n"
    assert (of("haswell", blend).ports, of("zen3", blend).ports) == (2, 0.5)
    assert (of("haswell", blend).issue, of("zen3", blend).issue) == (2 / 4, 1 / 6)
    spread = "\tvbroadcastsd\t(%rdi), %ymm4\n" + "\tvpermpd\t$1, %ymm1, %ymm2\n" * 2
    assert (of("zen4", spread).ports, of("golden_cove", spread).ports) == (1.5, 2)


def test_an_index_takes_a_place_only_beside_an_operation() -> None:
    indexed, plain = (f"\tvaddpd\t(%rdi{index}), %ymm0, %ymm1\n" for index in (",%rax", ""))
    assert (of("skylake_x", indexed).issue, of("skylake_x", plain).issue) == (2 / 4, 1 / 4)
    assert of("skylake_x", "\tvmovupd\t(%rdi,%rax), %ymm1\n").issue == 1 / 4


def test_masks_of_scalable_vectors_are_registers() -> None:
    text = "\tcmpne\tp0.d, p1/z, z0.d, #0\n\tld1d\t{ z0.d }, p0/z, [x0, x1, lsl #3]\n"
    assert of("neoverse_v1", text, "aarch64").chain == 10


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
    target, took = resolve_target(cpu), total_cycles(text + ".LBB0_1:\n", cpu, 100) / 100
    steps = steps_of(text.splitlines(), target.architecture)
    assert cycles(machine_of(target), steps).total == pytest.approx(took, rel=0.2)
