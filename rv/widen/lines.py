"""LLVM IR under construction: lines of a block with their dependences, blocks, functions.

A line knows which other lines of its block must come before it, so that the order in a block can be chosen afterwards
(`rv.widen.schedule`). Pure lines with the same text are one line. Memory lines carry the array that they touch: a load
comes after earlier stores to its array and a store after all earlier accesses of it; distinct arrays are independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rv.ir.types import Type
from rv.widen.llvm_text import shuffle_mask, type_text

Place = tuple[object, ...]


@dataclass(slots=True)
class Line:
    """One instruction; `name` is None for stores. `weight` is the number of vector registers that its result takes."""

    name: str | None
    text: str
    before: tuple[int, ...]
    weight: float
    place: Place | None
    kind: Literal["pure", "load", "store", "hint"]

    @property
    def full_text(self) -> str:
        return f"{self.name} = {self.text}" if self.name else self.text


@dataclass(slots=True)
class LlvmPhi:
    """A phi whose incoming pairs (operand, label) arrive while the rest of the function is built."""

    name: str
    type: str
    incoming: list[tuple[str, str]] = field(default_factory=list)

    @property
    def full_text(self) -> str:
        pairs = ", ".join(f"[ {value}, %{label} ]" for value, label in self.incoming)
        return f"{self.name} = phi {self.type} {pairs}"


class LlvmBlock:
    """A block: phis, lines in order of creation, a terminator.

    `ordered` blocks keep the order of creation. `origin` is whatever the block was written for.
    """

    def __init__(self, function: LlvmFunction, label: str, *, ordered: bool, origin: object = None) -> None:
        self.function = function
        self.origin = origin
        self.label = label
        self.ordered = ordered
        self.phis: list[LlvmPhi] = []
        self.lines: list[Line] = []
        self.terminator = "unreachable"
        self.known: dict[object, str] = {}
        """Results of larger computations in this block, by what was computed."""
        self._index: dict[str, int] = {}
        self._pure: dict[str, str] = {}
        self._writes: dict[str, int] = {}
        self._accesses: dict[str, list[int]] = {}
        self._epochs: dict[str, int] = {}

    def phi(self, type_: str) -> LlvmPhi:
        phi = LlvmPhi(self.function.fresh(), type_)
        self.phis.append(phi)
        return phi

    def pure(self, text: str, uses: Iterable[str], *, weight: float = 0) -> str:
        """The name of a line without side effects; the same text gives the same line."""
        if text not in self._pure:
            self._pure[text] = self._append(text, self._before(uses), weight, None, "pure")
        return self._pure[text]

    def epoch(self, array: str) -> int:
        """How many stores to `array` this block holds so far: loads of one epoch see the same memory."""
        return self._epochs.get(array, 0)

    def load(self, text: str, uses: Iterable[str], array: str, *, weight: float, place: Place | None) -> str:
        key = f"{text} ; {array} {self.epoch(array)}"
        if key not in self._pure:
            before = self._before(uses)
            if array in self._writes:
                before += (self._writes[array],)
            self._pure[key] = self._append(text, before, weight, place, "load")
            self._accesses.setdefault(array, []).append(len(self.lines) - 1)
        return self._pure[key]

    def store(self, text: str, uses: Iterable[str], array: str, place: Place | None) -> None:
        before = (*self._before(uses), *self._accesses.get(array, ()))
        self.lines.append(Line(None, text, before, 0, place, "store"))
        self._writes[array] = len(self.lines) - 1
        # later accesses need only wait for this store
        self._accesses[array] = [len(self.lines) - 1]
        self._epochs[array] = self.epoch(array) + 1

    def prefetch(self, text: str, uses: Iterable[str]) -> None:
        """A hint, free to go anywhere after its operands."""
        self.lines.append(Line(None, text, self._before(uses), 0, None, "hint"))

    def _append(
        self, text: str, before: tuple[int, ...], weight: float, place: Place | None, kind: Literal["pure", "load"]
    ) -> str:
        name = self.function.fresh()
        self._index[name] = len(self.lines)
        self.lines.append(Line(name, text, before, weight, place, kind))
        return name

    def _before(self, uses: Iterable[str]) -> tuple[int, ...]:
        return tuple(self._index[use] for use in uses if use in self._index)

    # -- common lines -------------------------------------------------------------------------------------------------

    def splat(self, operand: str, type_: Type, lanes: int) -> str:
        """A scalar repeated in every lane."""
        vector = type_text(type_, lanes)
        first = self.pure(f"insertelement {vector} poison, {type_} {operand}, i64 0", [operand])
        return self.pure(f"shufflevector {vector} {first}, {vector} poison, {shuffle_mask([0] * lanes)}", [first], weight=1)

    def shuffle(self, left: str, right: str, type_: Type, lanes: int, mask: Sequence[int]) -> str:
        """`mask` picks from the concatenation of two vectors of `lanes` lanes."""
        vector = type_text(type_, lanes)
        return self.pure(f"shufflevector {vector} {left}, {vector} {right}, {shuffle_mask(mask)}", [left, right], weight=1)

    def extract(self, vector: str, type_: Type, lanes: int, lane: int) -> str:
        return self.pure(f"extractelement {type_text(type_, lanes)} {vector}, i64 {lane}", [vector])

    def build_vector(self, operands: Sequence[str], type_: Type) -> str:
        """A vector from one scalar per lane."""
        vector = type_text(type_, len(operands))
        result = "poison"
        for lane, operand in enumerate(operands):
            result = self.pure(f"insertelement {vector} {result}, {type_} {operand}, i64 {lane}", [result, operand], weight=1)
        return result

    def integer(self, op: str, left: str | int, right: str | int) -> str:
        """An i64 operation; folds additions of 0 and multiplications by 1 and 0, and constants."""
        if isinstance(left, int) and isinstance(right, int):
            folded = {"add": left + right, "sub": left - right, "mul": left * right}.get(op)
            if folded is not None:
                return str(folded)
        if str(right) == "0" and op in ("add", "sub"):
            return str(left)
        if str(left) == "0" and op == "add":
            return str(right)
        if op == "mul" and "0" in (str(left), str(right)):
            return "0"
        if op == "mul" and str(right) == "1":
            return str(left)
        if op == "mul" and str(left) == "1":
            return str(right)
        return self.pure(f"{op} i64 {left}, {right}", [str(left), str(right)])


class LlvmFunction:
    """A function being built: hands out names and labels that are unique in it.

    LLVM keeps both in one table with the parameters, whose names are C identifiers; so names begin with a dot, and labels end
    with a dot and a number.
    """

    def __init__(self, header: str) -> None:
        self.header = header
        self.blocks: list[LlvmBlock] = []
        self.parts: list[LlvmFunction] = []
        """Internal functions of the same module that this one calls."""
        self.declarations: dict[str, str] = {}
        self.stack: list[str] = []
        """Allocas, which belong at the function's start so that loops do not make the stack grow, and opaque constants."""
        self._opaque: dict[tuple[str, str], str] = {}
        self._names = 0
        self._labels: dict[str, int] = {}

    def fresh(self) -> str:
        self._names += 1
        return f"%.{self._names}"

    def block(self, label: str, *, ordered: bool, origin: object = None) -> LlvmBlock:
        """A new block whose label is `label` with a number."""
        count = self._labels.get(label, 0)
        self._labels[label] = count + 1
        block = LlvmBlock(self, f"{label}.{count}", ordered=ordered, origin=origin)
        self.blocks.append(block)
        return block

    @property
    def all_blocks(self) -> tuple[LlvmBlock, ...]:
        """The blocks of the function and of its parts."""
        return (*self.blocks, *(block for part in self.parts for block in part.all_blocks))

    def stack_object(self, element: Type, count: int, align: int = 16) -> str:
        """The address of a new object of `count` elements."""
        name = self.fresh()
        self.stack.append(f"{name} = alloca [{count} x {element}], align {align}")
        return name

    def opaque(self, constant: str, type_: str) -> str:
        """A constant vector that LLVM does not know the value of, made once where the function starts (x86)."""
        if (constant, type_) not in self._opaque:
            self._opaque[constant, type_] = name = self.fresh()
            self.stack.append(f'{name} = call {type_} asm "", "=v,0"({type_} {constant})')
        return self._opaque[constant, type_]

    def declare(self, name: str, declaration: str) -> None:
        """Remember that the module needs `declaration`."""
        self.declarations[name] = declaration
