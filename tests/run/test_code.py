"""What optimized code does, counted in its innermost loops."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run.assembly import Loop, all_lines, assembly_of, innermost_loops

KERNELS = Path(__file__).parents[2] / "kernels"
CONTROL_FLOW = Path(__file__).parents[2] / "benchmarks" / "control_flow"
CASES = Path(__file__).parent / "cases"
TARGETS = ("avx512", "avx2", "neon")
STENCILS = ("jacobi5", "jacobi9", "seidel9", "sparse_jacobi5", "box27", "heat3d", "jacobi5_f32", "seidel9_f32")


def main_loop(assembly: str) -> Loop:
    """The innermost loop that stores most: the one for whole brushes. LLVM may have unrolled it."""
    return max(innermost_loops(assembly), key=lambda loop: (loop.stores, not loop.is_masked))


def main_product_loop(assembly: str) -> Loop:
    """The innermost loop that multiplies most vectors."""
    return max(innermost_loops(assembly), key=lambda loop: loop.count("vmul") + loop.count("fmul"))


def brushes(loop: Loop, stores: int) -> int:
    """How many brushes one turn of the loop works on, when each stores `stores` vectors."""
    assert loop.stores and loop.stores % stores == 0, str(loop)
    return loop.stores // stores


def test_jacobi5_on_avx512() -> None:
    loop = main_loop(assembly_of(KERNELS / "jacobi5.c", "brush=4x8", "avx512"))
    count = brushes(loop, 4)
    assert loop.loads <= 14 * count, str(loop)
    assert not loop.is_masked and not loop.spills, str(loop)


def test_rows_are_loaded_once_for_all_rows_that_use_them() -> None:
    # 8 rows of results read 12 rows at 5 offsets
    loop = main_loop(assembly_of(KERNELS / "seidel25.c", "brush=8x8", "avx512"))
    assert loop.loads <= 60 * brushes(loop, 8) and not loop.spills, str(loop)


@pytest.mark.parametrize(("kernel", "size", "target"), [
    ("transpose", 8, "avx512"), ("transpose", 4, "avx2"), ("transpose", 2, "neon"), ("transpose_f32", 8, "avx2"),
    ("transpose_f32", 4, "neon"), ("transpose_f32", 16, "avx512"),
])  # fmt: skip
def test_transpositions_go_through_registers(kernel: str, size: int, target: str) -> None:
    assembly = assembly_of(KERNELS / f"{kernel}.c", f"brush={size}x{size}", target)
    loop = main_loop(assembly)
    count = brushes(loop, size)
    assert loop.loads == size * count, str(loop)
    assert loop.shuffles <= size * (size.bit_length() - 1) * count, str(loop)
    assert not loop.spills, str(loop)
    assert not any(line.is_gather for line in all_lines(assembly))


@pytest.mark.parametrize(("kernel", "size", "target", "registers", "shuffles"), [
    ("transpose", 8, "avx2", 16, 32), ("transpose", 4, "neon", 8, 8), ("transpose", 8, "neon", 32, 32),
    ("transpose_f32", 8, "neon", 16, 32),
])  # fmt: skip
def test_large_transpositions_go_block_by_block(kernel: str, size: int, target: str, registers: int, shuffles: int) -> None:
    loop = main_loop(assembly_of(KERNELS / f"{kernel}.c", f"brush={size}x{size}", target))
    count = brushes(loop, registers)
    assert loop.loads == registers * count and loop.shuffles <= shuffles * count and not loop.spills, str(loop)


@pytest.mark.parametrize("target", TARGETS)
def test_accumulators_of_a_product_stay_in_registers(target: str) -> None:
    loop = main_product_loop(assembly_of(KERNELS / "matmul.c", "brush=4x8", target))
    assert not loop.stores and not loop.spills, str(loop)
    registers = {"avx512": 1, "avx2": 2, "neon": 4}[target]
    products = loop.count("vmul") + loop.count("fmul")
    assert products % (4 * registers) == 0
    assert loop.loads <= registers * products // (4 * registers) + 4 * (target == "neon"), str(loop)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kernel", STENCILS)
def test_stencils_neither_gather_nor_spill(kernel: str, target: str) -> None:
    lanes = {"avx512": 8, "avx2": 4, "neon": 2}[target] * (2 if kernel.endswith("f32") else 1)
    assembly = assembly_of(KERNELS / f"{kernel}.c", f"brush=4x{lanes}", target)
    lines = all_lines(assembly)
    assert not any(line.is_gather for line in lines)
    loop = main_loop(assembly)
    assert brushes(loop, 4) and not loop.spills and not loop.shuffles, str(loop)
    wide = {"avx512": ("xmm", "ymm", "zmm"), "avx2": ("xmm", "ymm"), "neon": ()}[target]
    used = {kind for line in lines for kind in ("xmm", "ymm", "zmm") if f"%{kind}" in line.text}
    assert used <= set(wide) and set(wide[-1:]) <= used


@pytest.mark.parametrize("kernel", ["blur", "conv5x5", "fdtd2d", "jacobi2d", "matmul"])
@pytest.mark.parametrize("target", TARGETS)
def test_no_gathers(kernel: str, target: str) -> None:
    assert not any(line.is_gather for line in all_lines(assembly_of(KERNELS / f"{kernel}.c", "brush=4x8", target)))


def test_the_reader_sees_what_is_there() -> None:
    assembly = (
        "f:\n.outer:\n\tmovq\t$0, %rax\n.inner:                  # comment\n\tvmovupd\t8(%rdi,%rax), %zmm0  # zmm0 = mem\n"
        "\tvaddpd\t(%rsi), %zmm0, %zmm0\n\tvpermpd\t%zmm0, %zmm1, %zmm2\n\tvmovups\t%zmm2, 64(%rsp) # 64-byte Spill\n"
        "\tvmovupd\t%zmm0, (%rdx) {%k1}\n\tjne\t.inner\n\tjmp\t.outer\n"
    )
    (loop,) = innermost_loops(assembly)
    assert (loop.loads, loop.stores, loop.shuffles, loop.spills, loop.is_masked) == (2, 2, 1, 1, True)
    arm = (
        ".l:\n\tldp\tq0, q1, [x0, #16]  // load\n\tldr\td3, [x2]\n\tfadd\tv0.2d, v0.2d, v1.2d\n\tzip1\tv2.2d, v0.2d, v1.2d\n"
        "\tstr\tq0, [x1], #16\n\tstr\tq1, [sp, #32]\n\tb.ne\t.l\n"
    )
    (loop,) = innermost_loops(arm)
    assert (loop.loads, loop.stores, loop.shuffles, loop.spills, loop.is_masked) == (2, 2, 1, 1, False)


@pytest.mark.parametrize("kernel", ["tree_search", "nearest", "correlation", "radii", "vantage", "gravity"])
def test_brushes_walk_trees_with_scalar_loads(kernel: str) -> None:
    # nodes, stacks and what is read of them are the same for all lanes, without an annotation
    assembly = assembly_of(CONTROL_FLOW / "trees.c", "brush=16 fp=contract", "avx512", kernel)
    assert not any(line.is_gather for line in all_lines(assembly))


def test_uniform_loops_in_divergent_ones_need_no_masks() -> None:
    # the polynomial of Newton's method is evaluated by two fused operations and scalar loads
    assembly = assembly_of(CONTROL_FLOW / "loops.c", "brush=16 fp=contract", "avx512", "newton")
    loop = min(innermost_loops(assembly), key=lambda loop: len(loop.lines))
    assert loop.count("vfmadd") and loop.count("vfmadd") % 2 == 0, str(loop)
    assert not loop.is_masked and not any(line.mnemonic.startswith(("ktest", "kortest")) for line in loop.lines), str(loop)


@pytest.mark.parametrize("function", ["three_ways", "two_elements"])
def test_arms_that_store_one_element_share_the_store(function: str) -> None:
    loop = main_loop(assembly_of(CASES / "arms_that_store.c", "brush=16 boscc=none tail=scalar", "avx512", function))
    assert loop.stores and not any("(" in line.operands[-1] and "{%k" in line.operands[-1] for line in loop.lines), str(loop)


MASKED_GROUPS = CASES / "masked_groups.c"


@pytest.mark.parametrize(("function", "brush", "loads"), [("colours", "16", 5), ("gray", "16", 4), ("products", "8", 5)])
def test_groups_under_conditions_are_wide_masked_loads(function: str, brush: str, loads: int) -> None:
    loop = main_loop(assembly_of(MASKED_GROUPS, f"brush={brush} boscc=none", "avx512", function))
    assert loop.loads == loads and loop.is_masked, str(loop)


@pytest.mark.parametrize(("function", "brush", "target"), [
    ("colours", "16", "avx512"), ("products", "8", "avx512"), ("colours", "8", "avx2"), ("transposed", "16x16", "avx512"),
    ("transposed", "8x8", "avx2"),
])  # fmt: skip
def test_groups_under_conditions_are_neither_gathered_nor_scattered(function: str, brush: str, target: str) -> None:
    lines = all_lines(assembly_of(MASKED_GROUPS, f"brush={brush} boscc=none", target, function))
    assert not any(line.is_gather for line in lines)


def test_lanes_far_apart_are_gathered_under_conditions() -> None:
    assert any(line.is_gather for line in all_lines(assembly_of(MASKED_GROUPS, "brush=16", "avx512", "far_apart")))


@pytest.mark.parametrize("target", ["skylake-avx512", "znver4", "avx512", "avx2"])
def test_quotients_leave_the_divider_where_that_pays(target: str) -> None:
    for function, estimate in (("quotients", "vrcp14"), ("lengths", "vrsqrt14")):
        loops = innermost_loops(assembly_of(CASES / "quotients.c", "brush=32", target, function))
        assert (max(loops, key=lambda loop: loop.loads).count(estimate) > 0) == (target == "skylake-avx512"), function


def test_quotients_by_roots_need_no_estimate() -> None:
    lines = all_lines(assembly_of(CASES / "quotients.c", "brush=32", "skylake-avx512", "now_and_then"))
    assert any("vrsqrt14" in str(line) for line in lines) and not any("vrcp14" in str(line) for line in lines)


def test_one_test_for_all_registers() -> None:
    loops = innermost_loops(assembly_of(CASES / "quotients.c", "brush=64", "skylake-avx512", "growing"))
    counts = [(loop.count("vrcp14"), loop.count("vdivps"), loop.count("kortest")) for loop in loops]
    # what the divider does in rare cases is elsewhere; sums with 1 are never small, so dividends are not looked at
    assert (2, 2, 1) in counts and not any(loop.count("vptest") for loop in loops), counts


@pytest.mark.parametrize(("kernel", "plan"), [("gravity", "brush=32"), ("vantage", "brush=32")])
def test_after_branches_quotients_stay(kernel: str, plan: str) -> None:
    """Multiplications delay what follows a misprediction, the divider does not."""
    assembly = assembly_of(CONTROL_FLOW / "trees.c", plan, "skylake-avx512", kernel)
    assert not any("vrcp14" in str(line) or "vrsqrt14" in str(line) for line in all_lines(assembly))


def test_no_turn_waits_for_a_register_of_the_one_before(tmp_path: Path) -> None:
    """All ones made by `vpternlog` wait for what was in the register; LLVM subtracts them in order to add 1."""
    source = (CONTROL_FLOW / "loops.c").read_text()
    begin, cut = source.index("void surfaces"), source.index("} else if (d > 4 * s)")
    path = tmp_path / "near_the_rim.c"
    path.write_text(f"#include <math.h>\n{source[begin:cut]}}} else\ntotal -= s * id * s2 * id;\n}}\nsum[i] = total;\n}}\n}}\n")
    plan = "brush=k=8 fp=fast math=vector boscc=none"
    for loop in innermost_loops(assembly_of(path, plan, "skylake-avx512")):
        assert not any(line.mnemonic.startswith("vpternlog") and line.operands[0] == "$255" for line in loop.lines), str(loop)


@pytest.mark.parametrize("brush", ["2", "3", "6", "16", "2x3"])
@pytest.mark.parametrize("number", ["signed char", "short", "int", "long"])
def test_one_is_added_to_any_number_of_lanes(tmp_path: Path, brush: str, number: str) -> None:
    """Values are only kept from LLVM in types that are registers; for others LLVM ends the process."""
    path = tmp_path / "one.c"
    path.write_text(
        f"void f(int n, const {number} A[restrict n][n], {number} B[restrict n][n]) {{\n"
        f"for (int j = 0; j < n; j++)\nfor (int i = 0; i < n; i++)\nB[j][i] = (A[j][i] + ({number})1) * A[j][i];\n}}"
    )
    assert all_lines(assembly_of(path, f"brush={brush}", "avx512"))


SUMS = """
#include <stdlib.h>
int differences(int n, const unsigned char a[restrict n], const unsigned char b[restrict n])
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += abs(a[i] - b[i]);
    return s;
}
int products(int n, const short a[restrict n], const short b[restrict n])
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}
int of_bytes(int n, const unsigned char a[restrict n], const signed char b[restrict n])
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}
int alike(int n, const unsigned char a[restrict n], const unsigned char b[restrict n])
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}
"""


@pytest.mark.parametrize(("function", "target", "brush", "instruction", "count"), [
    ("differences", "avx512", 128, "vpsadbw", 2), ("differences", "avx2", 64, "vpsadbw", 2),
    ("differences", "neon", 64, "uadalp", 4), ("products", "avx512", 128, "vpmaddwd", 4),
    ("products", "avx2", 32, "vpmaddwd", 2), ("products", "neon", 32, "smlal", 8),
    ("products", "znver4", 128, "vpdpwssd", 4),
    ("of_bytes", "cascadelake", 128, "vpdpbusd", 2), ("of_bytes", "alderlake", 32, "vpdpbusd", 1),
    ("of_bytes", "neoverse-n2", 32, "usdot", 2), ("alike", "neoverse-n1", 32, "udot", 2),
    ("alike", "arrowlake", 64, "vpdpbuud", 2), ("alike", "diamondrapids", 64, "vpdpbuud", 1),
    ("alike", "avx2", 64, "vpmaddwd", 4),
])  # fmt: skip
def test_neighbours_are_added_before_they_are_wide(
    function: str, target: str, brush: int, instruction: str, count: int, tmp_path: Path
) -> None:
    (tmp_path / "sums.c").write_text(SUMS)
    assembly = assembly_of(tmp_path / "sums.c", f"brush={brush}", target, function)
    loop = max(innermost_loops(assembly), key=lambda loop: loop.count(instruction))
    assert loop.count(instruction) and loop.count(instruction) % count == 0, str(loop)
    assert not loop.count("vpmov") and not loop.count("ushll") and not loop.spills, str(loop)


PLANES = """
void planes(int n, const unsigned char p[restrict 3 * n], short r[restrict n], short g[restrict n], short b[restrict n])
{
    for (int i = 0; i < n; i++) {
        r[i] = p[3 * i];
        g[i] = p[3 * i + 1];
        b[i] = p[3 * i + 2];
    }
}
void pixels(int n, const float r[restrict n], const float g[restrict n], float p[restrict 2 * n])
{
    for (int i = 0; i < n; i++) {
        p[2 * i] = r[i] + 1;
        p[2 * i + 1] = g[i];
    }
}
"""


@pytest.mark.parametrize(("function", "instruction"), [("planes", "ld3"), ("pixels", "st2")])
def test_interleaved_registers_are_accessed_together_on_neon(function: str, instruction: str, tmp_path: Path) -> None:
    (tmp_path / "planes.c").write_text(PLANES)
    loop = main_loop(assembly_of(tmp_path / "planes.c", "brush=16", "neon", function))
    assert loop.count(instruction) and not loop.count("tbl") and not loop.count("ins") and not loop.spills, str(loop)


MIXTURES = """
void mixtures(int n, const unsigned char w[restrict n], const unsigned char a[restrict n], const unsigned char b[restrict n],
              unsigned char o[restrict n])
{
    for (int i = 0; i < n; i++)
        o[i] = (a[i] * w[i] + b[i] * (255 - w[i])) >> 8;
}
"""


def test_products_of_bytes_need_no_shorts_on_neon(tmp_path: Path) -> None:
    (tmp_path / "mixtures.c").write_text(MIXTURES)
    loop = main_loop(assembly_of(tmp_path / "mixtures.c", "brush=16", "neon", "mixtures"))
    assert loop.count("umull") == 4 and not loop.count("xtn") and not loop.count("ushll"), str(loop)
