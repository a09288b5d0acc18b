"""Random trees of integer arithmetic on bytes and shorts give the same numbers after they have been made narrow."""

from __future__ import annotations

import random

import pytest

from rv.ir.function import Function
from rv.ir.instructions import Binary
from rv.ir.parser import parse_function
from rv.ir.types import I32, I64
from rv.ir.verify import verify
from rv.semantics.memory import Memory
from rv.semantics.scalar import Program
from rv.transform.absolute import compare_subtracted
from rv.transform.narrow import narrow
from rv.transform.simplify import simplify

SEEDS = 250
RUNS = 60
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def tree(chosen: random.Random) -> str:
    """A function that loads two numbers of a narrow type and stores what it computes with wide ones."""
    wide, narrow_bits, result = chosen.choice((32, 32, 64)), chosen.choice((8, 16)), chosen.choice((8, 16, 32))
    lines = [f"%p = load i{narrow_bits}, %A", f"%q = load i{narrow_bits}, %B"]
    signs = [chosen.choice(("zext", "sext")) for _ in "pq"]
    lines += [f"%v{k} = {sign} i{narrow_bits} %{name} to i{wide}" for k, (name, sign) in enumerate(zip("pq", signs, strict=True))]
    lines.append(f"%v2 = {'sext i32 %w to i64' if wide == 64 else 'add i32 %w, 0'}")
    count = 3
    for _ in range(chosen.randint(2, 7)):
        left, right = (f"%v{chosen.randrange(count)}" if chosen.random() < 0.8 else str(chosen.randint(-300, 300)) for _ in "lr")
        left = left if left.startswith("%") else f"%v{chosen.randrange(count)}"
        kind = chosen.random()
        if kind < 0.2:
            lines.append(f"%v{count} = {chosen.choice(('lshr', 'ashr', 'shl'))} i{wide} {left}, {chosen.randrange(12)}")
        elif kind < 0.4:
            lines.append(f"%c{count} = icmp {chosen.choice(PREDICATES)} i{wide} {left}, {right}")
            lines.append(f"%v{count} = select %c{count}, i{wide} {left}, %v{chosen.randrange(count)}")
        else:
            op = chosen.choice(("add", "sub", "mul", "and", "or", "xor"))
            lines.append(f"%v{count} = {op} i{wide} {left}, {right}")
        count += 1
    last = f"%v{count - 1}"
    if result < wide:
        lines.append(f"%r = trunc i{wide} {last} to i{result}")
        last = "%r"
    else:
        result = wide
    body = "\n".join(f"  {line}" for line in lines)
    return f"define void @f(ptr %A, ptr %B, ptr %O, i32 %w) {{\nentry:\n{body}\n  store i{result} {last}, %O\n  return void\n}}"


def stored(function: Function, given: list[tuple[bytes, bytes, int]]) -> list[bytes]:
    """What the function stores for each pair of numbers."""
    program, found = Program(function), []
    for a, b, w in given:
        memory, out = Memory(), bytearray(8)
        program.run([memory.map("A", bytearray(a)), memory.map("B", bytearray(b)), memory.map("O", out), w], memory)
        found.append(bytes(out))
    return found


def wide_operations(function: Function) -> int:
    return sum(isinstance(i, Binary) and i.result.type in (I32, I64) for _, i in function.instructions())


@pytest.mark.parametrize("first", range(0, SEEDS, 50))
def test_random_trees(first: int) -> None:
    narrower = 0
    for seed in range(first, first + 50):
        chosen = random.Random(seed)
        before = verify(simplify(parse_function(tree(chosen))))
        after = verify(simplify(narrow(compare_subtracted(before))))
        edges = (bytes(2), b"\xff\xff", b"\x80\x00", b"\x7f\x00", b"\x00\x80", b"\xff\x7f")
        numbers = [chosen.choice((chosen.randbytes(2), *edges)) for _ in range(2 * RUNS)]
        given = [(a, b, chosen.randint(-999, 999)) for a, b in zip(numbers[::2], numbers[1::2], strict=True)]
        assert stored(after, given) == stored(before, given), seed
        narrower += wide_operations(after) < wide_operations(before)
    assert narrower > 10
