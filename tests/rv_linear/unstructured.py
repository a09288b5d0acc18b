"""Random functions with the control flow of any graph: variables with phis in every block, a place in memory for each block.

    i32 random(ptr A, i32 u, i32 v)

Every block changes a variable and adds to its element of A. Branches depend on variables and on the number of blocks run.
"""

from __future__ import annotations

import random

from rv.analysis.cfg.flow import FlowGraph
from rv.ir.function import Block, Function, Parameter
from rv.ir.instructions import Binary, Branch, CompareInt, ElementPointer, Instruction, Jump, Load, Phi, Return, Store, Terminator
from rv.ir.types import I1, I32, PTR
from rv.ir.values import Const, Value, Var, const_i32, const_i64

A = Var("A", PTR)
U, V = Var("u", I32), Var("v", I32)
NAMES = ("x", "y", "z", "steps")


def random_code(graph: FlowGraph, chosen: random.Random) -> Function:
    """A function with this control flow; the entry of the graph gets a block before it."""
    blocks = [Block("start", (), (), Jump(graph.entry))]
    first: dict[str, Value] = {"x": U, "y": V, "z": const_i32(1), "steps": const_i32(0)}
    ends = {"start": first}
    for label in graph.successors:
        ends[label] = {name: Var(f"{name}.{label}", I32) for name in NAMES}
    share = chosen.choice([0.9, 0.5])
    for label in graph.successors:
        before = [*(["start"] if label == graph.entry else []), *graph.predecessors[label]]
        phis = [Phi(Var(f"{n}.in.{label}", I32), tuple((p, _value(ends[p][n], share, chosen)) for p in before)) for n in NAMES]
        body, condition = _body(label, {n: phi.result for n, phi in zip(NAMES, phis, strict=True)}, chosen)
        ways = graph.successors[label]
        end: Terminator = Return(Var(f"x.{label}", I32)) if not ways else Jump(ways[0])
        if len(ways) == 2:
            end = Branch(condition, *ways)
        blocks.append(Block(label, tuple(phis), tuple(body), end))
    return Function("random", (Parameter(A), Parameter(U), Parameter(V)), I32, tuple(blocks))


def _value(value: Value, share: float, chosen: random.Random) -> Value:
    """The variable, or a constant, so that phis have equal values."""
    steps = isinstance(value, Var) and value.name.startswith("steps")
    return value if steps or chosen.random() < share else const_i32(chosen.choice([0, 0, 7]))


def _body(label: str, values: dict[str, Var], chosen: random.Random) -> tuple[list[Instruction], Value]:
    body: list[Instruction] = []

    def binary(name: str, op: str, left: Value, right: Value) -> Var:
        result = Var(f"{name}.{label}", I32)
        body.append(Binary(result, op, left, right))  # type: ignore[arg-type]
        return result

    steps = binary("steps", "add", values["steps"], const_i32(1))
    changed = chosen.choice(["x", "y", "z"])
    for name in ("x", "y", "z"):
        other: Value = values[chosen.choice(["x", "y", "z"])] if chosen.random() < 0.6 else const_i32(chosen.randint(1, 5))
        op = chosen.choice(["add", "xor", "mul", "sub"]) if name == changed else "or"
        binary(name, op, values[name], other if name == changed else const_i32(0))
    if chosen.random() < 0.7:
        pointer, old = Var(f"p.{label}", PTR), Var(f"old.{label}", I32)
        body.append(ElementPointer(pointer, I32, A, (const_i64(int(label[1:])),), ()))
        body.append(Load(old, pointer))
        body.append(Store(binary("new", "add", old, Var(f"{changed}.{label}", I32)), pointer))
    of: Value = chosen.choice([U, V, Var(f"x.{label}", I32), Var(f"y.{label}", I32), steps])
    salt: Value = steps if chosen.random() < 0.6 else const_i32(chosen.randint(0, 9))
    mixed = binary("mixed", "mul", binary("sum", "add", of, salt), const_i32(-1640531535))
    shifted = binary("bits", "lshr", mixed, const_i32(chosen.randint(20, 28)))
    low = binary("low", "and", shifted, const_i32(chosen.choice([1, 1, 3])))
    condition = Var(f"c.{label}", I1)
    body.append(CompareInt(condition, "eq", low, const_i32(0)))
    return body, Const(I1, 1) if chosen.random() < 0.02 else condition
