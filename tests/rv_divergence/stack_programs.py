"""Random functions with any reducible control flow that keep numbers in stack objects, and one object in place of those of all
threads."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from rv.analysis.cfg.dominance import DominatorTree, dominator_tree
from rv.analysis.cfg.flow import FlowGraph
from rv.analysis.verify import verify
from rv.ir.function import Block, Function, Parameter
from rv.ir.instructions import Alloca, Binary, CompareInt, Convert, ElementPointer, Instruction, Load, Select, Store
from rv.ir.types import I1, I32, I64, PTR
from rv.ir.values import Value, Var, const_i32, const_i64
from tests.rv_linear.unstructured import random_code

ELEMENTS = 4


def random_stack_code(graph: FlowGraph, chosen: random.Random) -> Function:
    """A function of `random_code` with two or three objects, all elements of which are stored where they come to life."""
    function = random_code(graph, chosen)
    tree = dominator_tree(graph)
    places = [*["start"] * len(graph.successors), *graph.successors]
    homes = {f"S{k}": chosen.choice(places) for k in range(chosen.choice([1, 2]))}
    blocks = [_with_objects(block, homes, tree, chosen) for block in function.blocks]
    return verify(replace(function, blocks=tuple(blocks)))


def _with_objects(block: Block, homes: dict[str, str], tree: DominatorTree, chosen: random.Random) -> Block:
    names = (f"{block.label}.{k}" for k in range(1000))
    before: list[Instruction] = []
    for name in (name for name, home in homes.items() if home == block.label):
        before.append(Alloca(Var(name, PTR), I32, ELEMENTS))
        before += [i for k in range(ELEMENTS) for i in _store(names, Var(name, PTR), const_i64(k), const_i32(k))]
    here = [name for name, home in homes.items() if home == "start" or tree.dominates(home, block.label)]
    variables = [i.result for i in block.body if isinstance(i, Binary)]
    known = [variable for variable in variables if variable.source_name in ("x", "y", "z", "steps")]
    after: list[Instruction] = []
    for _ in range(chosen.choice([0, 1, 2, 4]) if here and known else 0):
        pointer = _pointer(names, here, block, after, chosen)
        index: Value = const_i64(chosen.randrange(ELEMENTS))
        if chosen.random() < 0.3:
            index = _index(names, chosen.choice([*known, Var("u", I32)]), after)
        if chosen.random() < 0.5:
            value = chosen.choice([*known[-2:], *[const_i32(chosen.randrange(9, 99))] * 2])
            after += _store(names, pointer, index, value)
        else:
            place, loaded = Var(f"q.{next(names)}", PTR), Var(f"l.{next(names)}", I32)
            after += [ElementPointer(place, I32, pointer, (index,), ()), Load(loaded, place)]
            after += _observed(names, block.label, loaded)
            known.append(loaded)
    return replace(block, body=_spliced([*before, *block.body], after, known, chosen))


def _observed(names: Iterator[str], label: str, value: Var) -> list[Instruction]:
    """Mixes a value into the block's element of A."""
    place, before, product, after = (f"{n}.{next(names)}" for n in ("a", "m", "n", "t"))
    old, times, new, pointer = Var(before, I32), Var(product, I32), Var(after, I32), Var(place, PTR)
    return [
        ElementPointer(pointer, I32, Var("A", PTR), (const_i64(int(label[1:])),), ()),
        Load(old, pointer),
        Binary(times, "mul", old, const_i32(5)),
        Binary(new, "add", times, value),
        Store(new, pointer),
    ]


def _spliced(
    body: list[Instruction], more: list[Instruction], known: list[Var], chosen: random.Random
) -> tuple[Instruction, ...]:
    """The body with more instructions before its branch condition, which then may depend on what they load."""
    at = next((k for k, i in enumerate(body) if i.result is not None and i.result.name.startswith("sum")), len(body))
    loaded = [variable for variable in known if variable.name.startswith("l.")]
    tail = body[at:]
    if tail and isinstance(tail[0], Binary) and chosen.random() < 0.7:
        tail[0] = replace(tail[0], left=chosen.choice([*loaded, Var("u", I32), Var("v", I32), Var("u", I32)]))
    return (*body[:at], *more, *tail)


def _pointer(names: Iterator[str], here: list[str], block: Block, body: list[Instruction], chosen: random.Random) -> Var:
    """An object, or sometimes one of two by a condition."""
    first, second = (Var(chosen.choice(here), PTR) for _ in range(2))
    if chosen.random() < 0.85 or first == second or not block.phis:
        return first
    condition, result = Var(f"o.{next(names)}", I1), Var(f"s.{next(names)}", PTR)
    bit = Var(f"b.{next(names)}", I32)
    body += [
        Binary(bit, "and", block.phis[0].result, const_i32(1)),
        CompareInt(condition, "eq", bit, const_i32(0)),
        Select(result, condition, first, second),
    ]
    return result


def _index(names: Iterator[str], value: Value, body: list[Instruction]) -> Value:
    low, wide = Var(f"i.{next(names)}", I32), Var(f"w.{next(names)}", I64)
    body += [Binary(low, "and", value, const_i32(ELEMENTS - 1)), Convert(wide, "zext", low)]
    return wide


def _store(names: Iterator[str], pointer: Var, index: Value, value: Value) -> list[Instruction]:
    place = Var(f"q.{next(names)}", PTR)
    return [ElementPointer(place, I32, pointer, (index,), ()), Store(value, place)]


def with_shared_objects(function: Function, shared: frozenset[str]) -> tuple[Function, int]:
    """The function with one object for all threads in place of each of the allocas `shared`: first parameters; how many."""
    names = sorted(shared)
    blocks = [
        replace(b, body=tuple(i for i in b.body if not (isinstance(i, Alloca) and i.result.name in shared)))
        for b in function.blocks
    ]
    parameters = (*(Parameter(Var(name, PTR)) for name in names), *function.parameters)
    return replace(function, parameters=parameters, blocks=tuple(blocks)), len(names)
