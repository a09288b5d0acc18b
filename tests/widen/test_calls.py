"""A call that may do anything keeps its place among the accesses of all memories, whatever they are called."""

from __future__ import annotations

from rv.ir.types import F64, I32, PTR
from rv.vector.dependences import dependences
from rv.vector.function import Statement
from rv.vector.instructions import Call, Load, Store
from rv.vector.values import Register
from rv.vector.writer import FunctionWriter, natural_access

POINTER, VALUE = Register("p", PTR), Register("x", F64)


def written() -> list[Statement]:
    block = FunctionWriter("f").block("entry", fixed=False)
    first = block.add(Load(POINTER, F64, natural_access("a", F64)))
    block.effect(Store(first, POINTER, natural_access("b", F64)))
    block.run(Call("g", (POINTER,), I32, pure=False))
    block.add(Load(POINTER, F64, natural_access("a", F64)))
    block.effect(Store(VALUE, POINTER, natural_access("c", F64)))
    return block.body


def test_loads_behind_a_call_are_made_again() -> None:
    assert sum(isinstance(statement.instruction, Load) for statement in written()) == 2


def test_accesses_stay_on_their_side() -> None:
    load, store, call, again, last = dependences(written(), 512)
    assert not load.before and store.before == (0,)
    assert set(call.before) == {0, 1}
    assert set(again.before) == {2} and set(last.before) == {2}
