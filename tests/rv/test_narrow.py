"""Random trees of integer arithmetic on bytes and shorts give the same numbers after they have been made narrow."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from rv.analysis.verify import verify
from rv.ir.function import Function
from rv.ir.instructions import Binary
from rv.ir.parser import parse_function
from rv.ir.types import I8, I16, I32, I64
from rv.semantics.memory import Memory
from rv.semantics.scalar import Program
from rv.transform.narrow.absolute import compare_subtracted
from rv.transform.narrow.trees import narrow
from rv.transform.prepare import prepare
from rv.transform.simplify import simplify
from tensorrv.frontend.c.module import parse_c

SEEDS = 400
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
        if kind < 0.25:
            sides = ("%v0", "%v1") if chosen.random() < 0.7 else (left, right)
            lines += form(chosen, count, wide, *sides)
        elif kind < 0.35:
            lines.append(f"%v{count} = {chosen.choice(('lshr', 'ashr', 'shl'))} i{wide} {left}, {chosen.randrange(12)}")
        elif kind < 0.45:
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


BOUNDS = ((0, 255), (-128, 127), (0, 65535), (-32768, 32767), (0, 127), (16, 235), (255, 0))


def form(chosen: random.Random, k: int, wide: int, left: str, right: str) -> list[str]:
    """An average, a number between bounds, a mixture, or a quotient, as %vk."""
    low, high = chosen.choice(BOUNDS)
    match chosen.randrange(4):
        case 0:
            shift = chosen.choice(("lshr", "ashr"))
            total = [f"%s{k} = add i{wide} {left}, {right}", f"%t{k} = add i{wide} %s{k}, {chosen.choice((0, 1, 1, 2))}"]
            return [*total, f"%v{k} = {shift} i{wide} %t{k}, 1"]
        case 1:
            above = chosen.choice((("sgt", high), ("sge", high), ("sge", high + 1), ("sgt", high + 1)))
            op, below = chosen.choice(("add", "sub")), chosen.random() < 0.5
            lines = [f"%s{k} = {op} i{wide} {left}, {right}", f"%c{k} = icmp {above[0]} i{wide} %s{k}, {above[1]}"]
            lines.append(f"%t{k} = select %c{k}, i{wide} {high}, %s{k}")
            tested = "%s" if below else "%t"
            lines.append(f"%d{k} = icmp {chosen.choice(('slt', 'sle'))} i{wide} {tested}{k}, {low}")
            return [*lines, f"%v{k} = select %d{k}, i{wide} {low}, %t{k}"]
        case 2:
            weight = chosen.choice((f"and i{wide} {left}, {chosen.choice((255, 127, 256))}", f"lshr i{wide} {left}, {wide - 8}"))
            lines = [f"%w{k} = {weight}", f"%x{k} = sub i{wide} {chosen.choice((255, 256, 128))}, %w{k}"]
            one, two = chosen.randrange(2), chosen.randrange(2)
            lines += [f"%y{k} = mul i{wide} %v{one}, %w{k}", f"%z{k} = mul i{wide} %x{k}, %v{two}"]
            return [*lines, f"%v{k} = add i{wide} %y{k}, %z{k}"]
        case _:
            return [f"%v{k} = {chosen.choice(('sdiv', 'udiv'))} i{wide} {left}, {chosen.choice((3, 255, 257, 1000, 65535))}"]


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
    assert narrower > 8


FORMS = (
    ("(a + b + 1) >> 1", {"or": 1, "xor": 1, "lshr": 1, "sub": 1}),
    ("(1 + a + b) / 2", {"or": 1, "xor": 1, "lshr": 1, "sub": 1}),
    ("(a + b) >> 1", {"and": 1, "xor": 1, "lshr": 1, "add": 1}),
    ("(c + d + 1) >> 1", {"or": 1, "xor": 1, "ashr": 1, "sub": 1}),
    ("a + b > 255 ? 255 : a + b", {"add": 1}),
    ("a + b < 256 ? a + b : 255", {"add": 1}),
    ("a - b < 0 ? 0 : a - b", {"sub": 1}),
    ("c + d > 127 ? 127 : c + d < -128 ? -128 : c + d", {"sadd_sat": 1}),
    ("c - d < -128 ? -128 : c - d < 128 ? c - d : 127", {"ssub_sat": 1}),
)


@pytest.mark.parametrize(("text", "operations"), FORMS)
def test_forms_that_need_nothing_wider_than_bytes(text: str, operations: dict[str, int]) -> None:
    source = f"void f(unsigned char *A, signed char *C) {{ int a = A[0], b = A[1], c = C[0], d = C[1]; A[2] = {text}; }}"
    function = prepare(parse_c("f.c", text=source).function("f").function)
    found = Counter(i.op for _, i in function.instructions() if isinstance(i, Binary) and i.result.type == I8)
    assert found == operations


def test_mixtures_of_bytes_need_shorts() -> None:
    source = "void f(unsigned char *A, int w) { A[2] = (A[0] * (w & 255) + A[1] * (255 - (w & 255)) + 127) / 255; }"
    function = prepare(parse_c("f.c", text=source).function("f").function)
    assert {i.result.type for _, i in function.instructions() if isinstance(i, Binary) and i.op in ("mul", "udiv")} == {I16}
    wider = prepare(parse_c("f.c", text=source.replace("(w & 255)", "(w & 511)")).function("f").function)
    assert {i.result.type for _, i in wider.instructions() if isinstance(i, Binary) and i.op in ("mul", "sdiv")} == {I32}
