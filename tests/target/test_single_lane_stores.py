"""Masked stores of one lane write that lane and nothing else, also when the value is truncated for them."""

import ctypes

import pytest

from rv.target.llvm import jit, optimize
from rv.target.machine import resolve_target, runs_here


def module(lanes: int, wide: int, narrow: int, mask: list[int]) -> str:
    truth = ", ".join(f"i1 {'true' if m else 'false'}" for m in mask)
    return f"""
define void @f(ptr %a, ptr %b) {{
  %x = load <{lanes} x i{wide}>, ptr %b, align 1
  %t = trunc <{lanes} x i{wide}> %x to <{lanes} x i{narrow}>
  call void @llvm.masked.store.v{lanes}i{narrow}.p0(<{lanes} x i{narrow}> %t, ptr align 1 %a, <{lanes} x i1> <{truth}>)
  ret void
}}
declare void @llvm.masked.store.v{lanes}i{narrow}.p0(<{lanes} x i{narrow}>, ptr, <{lanes} x i1>)
"""


@pytest.mark.parametrize("name", ["native", "avx512", "avx2"])
@pytest.mark.parametrize(("lanes", "wide", "narrow"), [(8, 64, 32), (2, 64, 32), (4, 32, 8), (8, 32, 16)])
def test_nothing_beside_the_lanes_is_written(name: str, lanes: int, wide: int, narrow: int) -> None:
    target = resolve_target(name)
    reason = runs_here(target)
    if reason is not None:
        pytest.skip(reason)
    size = narrow // 8
    for mask in ([int(k == lane) for k in range(lanes)] for lane in (0, 1, lanes - 1)):
        code = jit(module(lanes, wide, narrow, mask), target)
        source = (ctypes.c_uint8 * (lanes * wide // 8))(*(1 + k % 200 for k in range(lanes * wide // 8)))
        there = (ctypes.c_uint8 * (lanes * size + 16))()
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address("f"))
        call(ctypes.addressof(there), ctypes.addressof(source))
        expected = bytes(source[k // size * wide // 8 + k % size] if mask[k // size] else 0 for k in range(lanes * size))
        assert bytes(there) == expected + bytes(16)


def test_other_masks_stay() -> None:
    target = resolve_target("avx512")
    assert "masked.store" in optimize(module(8, 64, 32, [1, 1, 0, 0, 0, 0, 0, 0]), target)
    assert "masked.store" not in optimize(module(8, 64, 32, [0, 0, 1, 0, 0, 0, 0, 0]), target).partition("declare")[0]
