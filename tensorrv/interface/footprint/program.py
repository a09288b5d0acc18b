"""What is left of a function when only subscripts and control flow matter: nodes, blocks, loops and accesses.

Everything refers to everything else by position in the program's tuples. Plain values, so that a stored kernel is loaded
without the compiler.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

NOWHERE: Final = -1
"""No loop, no condition."""


@dataclass(frozen=True, slots=True)
class Node:
    """An integer, or an address: the array `name` in `base` nodes, and a distance of 64 bits in bytes.

    const, param, base (of a parameter or, with a % before its name, of a local array), data (what is loaded, or computed from
    floating-point numbers), the operations and predicates of P-LLVM, and

    recur   (start, step) of `loop`: start + counter * step, modulo 2**bits
    loop    (start, next) of `loop`: any other variable that changes from iteration to iteration
    merge   one of the operands: that of the edge (`edges`) through which control has come
    leave   the operand when `loop` is left

    `value` is the constant, or the width of the operands of conversions and comparisons. `nsw`: the exact result fits, or C does
    not define it. `depends` are the loops on whose counters the node depends.
    """

    op: str
    bits: int
    operands: tuple[int, ...] = ()
    value: int = 0
    name: str = ""
    nsw: bool = False
    loop: int = NOWHERE
    edges: tuple[Edge, ...] = ()
    depends: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """Control comes from `block` where `condition` is `truth`, or always (NOWHERE).

    `left` is a loop that the edge leaves: it is taken after some iteration of it.
    """

    block: int
    condition: int = NOWHERE
    truth: bool = True
    left: int = NOWHERE


@dataclass(frozen=True, slots=True)
class Block:
    """`edges` lead here from the same iteration of `loop`, or, to a header, from before the loop.

    `guards` are the conditions, with their truth, that hold wherever the block runs.
    """

    loop: int
    edges: tuple[Edge, ...]
    guards: tuple[tuple[int, bool], ...]
    depends: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Count:
    """How often an exit that every iteration passes lets a loop go on: while `x predicate bound`.

    x in iteration c is start + c * step modulo 2**bits, extended by `extend` ("s", "z", or "" for neither) to the
    `width` of the bound.
    """

    predicate: str
    start: int
    step: int
    bound: int
    bits: int
    extend: str
    width: int
    nsw: bool


@dataclass(frozen=True, slots=True)
class Exit:
    """A loop is left from `block` where `condition` is `truth`. `count` is given for what can be counted."""

    block: int
    condition: int
    truth: bool
    count: Count | None


@dataclass(frozen=True, slots=True)
class Loop:
    """`variables` are its `loop` nodes; `depends` the outer loops on which its trip count depends."""

    header: int
    latch: int
    parent: int
    exits: tuple[Exit, ...]
    variables: tuple[int, ...]
    depends: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """`width` bytes at the address `place`, in line `line` of the source.

    Where that is in row `row` of the parameter `array`, in rows of `unit` bytes, these are given. `inner` are subscripts of
    further dimensions, with the lengths that they have to stay below. `tested` are the loops around, outermost first, and
    for each of their exits whether the access comes before it in an iteration.
    """

    block: int
    width: int
    place: int
    array: str
    row: int
    unit: int
    inner: tuple[tuple[int, int], ...]
    tested: tuple[tuple[int, tuple[bool, ...]], ...]
    line: int


@dataclass(frozen=True, slots=True)
class Program:
    """`arrays` are the function's pointer parameters."""

    nodes: tuple[Node, ...]
    blocks: tuple[Block, ...]
    loops: tuple[Loop, ...]
    accesses: tuple[Access, ...]
    arrays: tuple[str, ...]
