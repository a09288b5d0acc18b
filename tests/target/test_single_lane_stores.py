"""Masked stores of one lane write that lane and nothing else, also when the value is truncated for them."""

import ctypes

import pytest

from rv.emit.llvm import module_text
from rv.ir.types import PTR, IntType
from rv.target.llvm import emit_assembly, jit
from rv.target.machine import resolve_target, runs_here
from rv.vector.function import Module, Parameter
from rv.vector.instructions import Access, Load, Store
from rv.vector.types import vector_of
from rv.vector.values import Register, mask
from rv.vector.writer import FunctionWriter


def module(lanes: int, wide: int, narrow: int, active: list[int]) -> Module:
    to, source = (Register(name, PTR) for name in "ab")
    writer = FunctionWriter("f", [Parameter(to), Parameter(source)])
    block = writer.block("start", fixed=True)
    loaded = block.add(Load(source, vector_of(IntType(wide), lanes), Access("b", 1)))
    number = block.convert("trunc", loaded, vector_of(IntType(narrow), lanes))
    block.effect(Store(number, to, Access("a", 1), mask([bool(k) for k in active])))
    block.give_back()
    return Module(writer.finish())


@pytest.mark.parametrize("name", ["native", "avx512", "avx2"])
@pytest.mark.parametrize(("lanes", "wide", "narrow"), [(8, 64, 32), (2, 64, 32), (4, 32, 8), (8, 32, 16), (2, 64, 8), (2, 32, 8)])
def test_nothing_beside_the_lanes_is_written(name: str, lanes: int, wide: int, narrow: int) -> None:
    target = resolve_target(name)
    reason = runs_here(target)
    if reason is not None:
        pytest.skip(reason)
    size = narrow // 8
    for active in ([int(k == lane) for k in range(lanes)] for lane in (0, 1, lanes - 1)):
        code = jit(module_text(module(lanes, wide, narrow, active), target), target)
        source = (ctypes.c_uint8 * (lanes * wide // 8))(*(1 + k % 200 for k in range(lanes * wide // 8)))
        there = (ctypes.c_uint8 * (lanes * size + 16))()
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address("f"))
        call(ctypes.addressof(there), ctypes.addressof(source))
        expected = bytes(source[k // size * wide // 8 + k % size] if active[k // size] else 0 for k in range(lanes * size))
        assert bytes(there) == expected + bytes(16)


def test_other_masks_are_stored_by_one_instruction() -> None:
    target = resolve_target("avx512")
    assembly = emit_assembly(module_text(module(8, 64, 32, [1, 1, 0, 0, 0, 1, 0, 0]), target), target)
    assert assembly.count("(%rdi) {%k1}") == 1
