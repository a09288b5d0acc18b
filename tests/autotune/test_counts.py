"""Instruction counts: of assembly whose counts are known by hand, and of kernels whose counts follow from their brush."""

import pytest

from autotune.measure.subject import element_bits, work_of
from autotune.model.counts import Work, count
from rv.target.machine import resolve_target
from tensorrv.frontend.c.module import parse_c
from tensorrv.frontend.shipped import find_kernel
from tensorrv.pipeline.kernel import compile_function
from tensorrv.schedule.plan import Plan, parse_brush

ASSEMBLY = """
	movq	%rax, %rbx
.LBB0_1:                                # %head
                                        # =>This Loop Header: Depth=1
                                        #     Child Loop BB0_2 Depth 2
	vmovupd	%zmm9, (%rax)
.LBB0_2:                                # %body
                                        #   Parent Loop BB0_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	prefetchw	264(%rbx,%rdi,8)
	vmovupd	8(%rdx,%rdi,8), %zmm2
	vmovupd	72(%rdx,%rdi,8), %zmm3
	vaddpd	(%r13,%rdi,8), %zmm2, %zmm2
	vbroadcastsd	(%rcx), %zmm7
	vpermt2pd	16(%r13,%rdi,8), %zmm3, %zmm4
	vshuff64x2	$2, %zmm4, %zmm4, %zmm4
	vmovupd	-72(%rsp), %zmm5                # 64-byte Reload
	vdivpd	%zmm5, %zmm4, %zmm4
	je	.LBB0_4
# %bb.3:                                # %more
                                        #   in Loop: Header=BB0_2 Depth=2
	vmovupd	%zmm2, 8(%rbx,%rdi,8)
	vmovupd	%zmm4, 72(%rbx,%rdi,8)
	addq	$16, %rdi
	jb	.LBB0_2
.LBB0_4:
	vmovupd	%zmm2, 8(%rbx,%rdi,8)
	retq
"""


def test_counts_of_known_assembly():
    found = count(ASSEMBLY, Work(8, 2), 0, 64)
    assert (found.points, found.bits, found.blocks) == (16, 512, 2)
    assert (found.loads, found.stores, found.shuffles, found.arithmetic, found.divisions) == (5, 2, 2, 1, 1)
    assert (found.spills, found.prefetches) == (1, 1)
    # 8, 72 and 16 lie elsewhere in their lines than 0, of 8 there are most
    assert found.split_loads == 3 - 1
    assert found.thesis_memory == 2 + 1 + 2 + 1


STORES = """
.LBB0_5:                                # %results
                                        # =>This Inner Loop Header: Depth=1
	vmovupd	%zmm2, (%rbx,%rdi,8)
	vmovupd	%zmm2, 64(%rbx,%rdi,8)
	vmovupd	%zmm2, 128(%rbx,%rdi,8)
	jb	.LBB0_5
.LBB0_6:
	retq
"""


def test_a_loop_that_computes_nothing_is_hot_only_where_nothing_is_computed():
    # it stores more than the other
    assert count(ASSEMBLY + STORES, Work(8, 2), 0, 64) == count(ASSEMBLY, Work(8, 2), 0, 64)
    assert count(ASSEMBLY + STORES, Work(8, 0), 0, 64).points == count(STORES, Work(8, 2), 0, 64).points == 24


def counts(kernel, brush, target):
    function = parse_c(find_kernel(kernel)).function(kernel)
    compiled = compile_function(function, Plan(parse_brush(brush)), resolve_target(target))
    return count(compiled.module.assembly, work_of(function), compiled.plan.brush.lanes, element_bits(function))


@pytest.mark.parametrize(
    "kernel, brush, target, loads, stores, arithmetic",
    [
        ("jacobi5", "1x8", "avx512", 5 / 8, 1 / 8, 5 / 8),
        ("jacobi5", "4x8", "avx512", 14 / 32, 1 / 8, 5 / 8),
        ("jacobi5", "1x4", "avx2", 5 / 4, 1 / 4, 5 / 4),
        ("jacobi5", "4x2", "neon", 14 / 8, 1 / 2, 5 / 2),
        ("seidel25", "1x8", "avx512", 25 / 8, 1 / 8, 25 / 8),
        ("seidel25", "4x8", "avx512", 40 / 32, 1 / 8, 25 / 8),
        ("transpose", "8x8", "avx512", 1 / 8, 1 / 8, 0),
        ("jacobi5_f32", "4x16", "avx512", 14 / 64, 1 / 16, 5 / 16),
    ],
)
def test_counts_per_point(kernel, brush, target, loads, stores, arithmetic):
    found = counts(kernel, brush, target)
    assert found.per_point("loads") == pytest.approx(loads)
    assert found.per_point("stores") == pytest.approx(stores)
    assert found.per_point("arithmetic") == pytest.approx(arithmetic)


def test_a_transposition_shuffles_and_does_not_compute():
    found = counts("transpose", "8x8", "avx512")
    assert found.shuffles == 24
    assert found.fractions == (24 / 40, 0, 16 / 40)


def test_masked_loops_are_hot_when_there_are_no_others():
    plain = ".LBB0_2:\n# =>  This Inner Loop Header: Depth=2\n\tvmovupd\t%zmm2, (%rbx,%rdi,8)\n\taddq\t$8, %rdi\n\tjb\t.LBB0_2\n"
    masked = plain.replace("BB0_2", "BB0_3").replace("(%rbx,%rdi,8)", "(%rbx,%rdi,8) {%k1}").replace("\taddq\t$8, %rdi\n", "")
    # the masked loop has fewer instructions, but it is the tail
    assert count(plain + masked, Work(8, 0), 0, 64).instructions == 3
    # a store under a condition is as wide as any
    assert count(masked, Work(8, 0), 0, 64).points == 8


@pytest.mark.parametrize("brush", ["1x16", "4x16"])
def test_points_where_branches_store(brush):
    assert counts("life", brush, "avx512").points == parse_brush(brush).lanes


def test_points_where_elements_fill_half_of_a_register():
    narrow = ".LBB0_2:\n# =>  This Inner Loop Header: Depth=2\n\tvpaddd\t%ymm2, %ymm2, %ymm2\n"
    narrow += "\tvmovdqu8\t%xmm2, (%rbx,%rdi) {%k1}\n\tjb\t.LBB0_2\n"
    assert count(narrow, Work(1, 0), 0, 32).points == 8
