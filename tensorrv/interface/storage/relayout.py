"""Arrays in their layouts: every load and store of an array with a layout goes to where the layout puts the element.

    %p = elemptr double, %A [%j, %i] extents [%m]        %q = lshr %i, 1; %r = and %i, 1; ...
    %x = load %p                                   ->    %p2 = elemptr double, %A [%j/2, %i/2, %j%2, %i%2] extents [%m/2, 2, 2]
                                                         %x = load %p2

Old pointers stay what they were: addresses in an imagined row-major array, which may be compared and stepped through, and of
which nothing is loaded. A pointer that is not made in one step from the array is first turned back into an index.

The facts about accesses keep the subscripts of the source and get a `Placement`: a layout is a bijection, so dependences are
those of the index vectors, and everything that was proved stays proved. This runs last before code is generated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from layouts.address import Digit
from layouts.layout import Layout
from rv.analysis.values.uses import Definition, definitions
from rv.analysis.verify import verify
from rv.evolution.polynomial import Polynomial, signed
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Convert, ElementPointer, Instruction, IntBinaryOp, Load, Store
from rv.ir.rewrite import FreshNames
from rv.ir.source import Span
from rv.ir.types import I64, PTR, IntType, Type, size_of
from rv.ir.values import Const, Value, Var, const_i64
from tensorrv.interface.array_uses import pointed_at
from tensorrv.interface.storage.arrays import LaidOutArray, laid_out_arrays
from tensorrv.interface.storage.lengths import EntryCode, stored_lengths
from tensorrv.nest.model import Access, Nests, Placement
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.unit.declared_array import DeclaredArray

Places = Mapping[tuple[str, int], int]
"""From block and old position of a load or store to its new position."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An array with a layout inside a function: its address map, and values for the lengths of its digits and dimensions."""

    array: LaidOutArray
    placement: Placement
    lengths: tuple[Value, ...]
    extents: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Relayout:
    """The function with its accesses moved. `of` brings facts about the function as it was up to date."""

    function: Function
    stored: Mapping[str, Stored]
    places: Places
    defined_in: Mapping[str, str]
    bits: Mapping[str, int]

    def of(self, nests: Nests) -> Nests:
        """The same facts about the function as it is now."""
        blocks = {block.label: block for block in self.function.blocks}

        def moved(access: Access) -> Access:
            position = self.places[access.block, access.position]
            instruction = blocks[access.block].body[position]
            assert isinstance(instruction, Load | Store)
            stored = self.stored.get(access.array.name)
            placement = stored.placement if stored is not None and _has_shape(access, stored.array) else None
            subscripts = access.subscripts if stored is None or placement is not None else None
            return replace(access, position=position, instruction=instruction, subscripts=subscripts, placement=placement)

        return replace(
            nests,
            function=self.function,
            accesses=tuple(map(moved, nests.accesses)),
            defined_in={**nests.defined_in, **self.defined_in},
            bits={**nests.bits, **self.bits},
        )


def relayout(nests: Nests, layouts: Sequence[tuple[str, Layout]], declared: Mapping[str, DeclaredArray]) -> Relayout | None:
    """The function of `nests` with the arrays of `layouts` stored so; None when nothing changes. Raises Refused.

    Layouts are for the arrays in `declared`.
    """
    function = nests.function
    arrays = arrays_to_move(nests, layouts, declared)
    _check_pointers(nests, frozenset(name for name, _ in layouts if name in declared))
    if not arrays:
        return None
    names = FreshNames.of(function)
    code = EntryCode(function, names)
    stored = {array.var.name: _stored(code, array) for array in arrays}
    entry = {instruction.result.name for instruction in code.body if instruction.result is not None}
    writer = _Writer(nests, stored, names)
    blocks = tuple(writer.block(block) for block in function.blocks)
    blocks = (replace(blocks[0], body=(*code.body, *blocks[0].body)), *blocks[1:])
    shift = {blocks[0].label: len(code.body)}
    places = {(label, old): new + shift.get(label, 0) for (label, old), new in writer.places.items()}
    defined = {**dict.fromkeys(entry, blocks[0].label), **writer.defined_in}
    moved = verify(replace(function, blocks=blocks))
    return Relayout(moved, stored, places, defined, _widths(moved, defined))


def arrays_to_move(
    nests: Nests, layouts: Sequence[tuple[str, Layout]], declared: Mapping[str, DeclaredArray]
) -> tuple[LaidOutArray, ...]:
    """The arrays in `declared` that are stored otherwise. Raises Refused."""
    return laid_out_arrays(nests, [(name, layout) for name, layout in layouts if name in declared], declared)


def _widths(function: Function, names: Mapping[str, str]) -> dict[str, int]:
    """The widths of the integers among these variables."""
    results = (instruction.result for _, instruction in function.instructions())
    return {r.name: r.type.bits for r in results if r is not None and r.name in names and isinstance(r.type, IntType)}


def _has_shape(access: Access, array: LaidOutArray) -> bool:
    """Whether the subscripts are known to be the indices along the dimensions of the array."""
    return access.subscripts is not None and access.extents == array.shape[1:]


def _stored(code: EntryCode, array: LaidOutArray) -> Stored:
    found = stored_lengths(code, array)
    polynomials = tuple(Polynomial() if pair is None else pair[1] for pair in found)
    return Stored(
        array,
        Placement(array.address, polynomials),
        tuple(const_i64(0) if pair is None else pair[0] for pair in found),
        tuple(const_i64(0) if e is None else code.extent(array, k) for k, e in enumerate(array.shape)),
    )


def _check_pointers(nests: Nests, names: frozenset[str]) -> None:
    """Raises Refused when an access may go to an array with a layout, or to something else, depending on the data."""
    bases = {(access.block, access.position): access.array.name for access in nests.accesses}
    found = definitions(nests.function)
    for block in nests.function.blocks:
        for position, instruction in enumerate(block.body):
            if isinstance(instruction, Load | Store) and bases.get((block.label, position)) not in names:
                for name in sorted(pointed_at(instruction.pointer, found) & names):
                    raise Refused(_ambiguous(name, instruction.span))


def _ambiguous(name: str, span: Span | None) -> Diagnostic:
    return Diagnostic(
        "error",
        "TRV153",
        f"'{name}' has a layout, and this access goes through a pointer that may point into '{name}' or elsewhere",
        span,
        hint=f"access '{name}' under its own name, or leave out its layout",
    )


class _Writer:
    """Rewrites the blocks of a function one by one."""

    def __init__(self, nests: Nests, stored: Mapping[str, Stored], names: FreshNames) -> None:
        self.nests = nests
        self.stored = stored
        self.names = names
        self.definitions: Mapping[str, Definition] = definitions(nests.function)
        self.bases = {(access.block, access.position): access.array.name for access in nests.accesses}
        self.places: dict[tuple[str, int], int] = {}
        self.defined_in: dict[str, str] = {}

    def block(self, block: Block) -> Block:
        body: list[Instruction] = []
        for position, instruction in enumerate(block.body):
            if isinstance(instruction, Load | Store):
                stored = self.stored.get(self.bases.get((block.label, position), ""))
                if stored is not None:
                    address = _Address(self, stored, block.label, instruction.span)
                    instruction = replace(instruction, pointer=address.of(instruction.pointer))
                    body += address.body
                self.places[block.label, position] = len(body)
            body.append(instruction)
        return replace(block, body=tuple(body))


class _Address:
    """The code for the address of one access."""

    def __init__(self, writer: _Writer, stored: Stored, label: str, span: Span | None) -> None:
        self.writer = writer
        self.stored = stored
        self.label = label
        self.span = span
        self.body: list[Instruction] = []

    def of(self, pointer: Value) -> Var:
        """The address of the element that `pointer` names in row-major order."""
        indices = self._indices(pointer)
        address = self.stored.array.address
        digits = tuple(self._digit(indices[digit.dimension], digit) for digit in address.digits)
        result = self._variable(PTR)
        array = self.stored.array
        self.body.append(ElementPointer(result, array.element, array.var, digits, self.stored.lengths[1:], self.span))
        return result

    def _indices(self, pointer: Value) -> tuple[Value, ...]:
        array = self.stored.array
        definition = self.writer.definitions.get(pointer.name) if isinstance(pointer, Var) else None
        direct = isinstance(definition, ElementPointer) and definition.base == array.var and definition.element == array.element
        if direct:
            assert isinstance(definition, ElementPointer)
            if tuple(map(self._polynomial, definition.extents)) == array.shape[1:]:
                return definition.indices
            if len(definition.indices) == 1:
                return self._split(definition.indices[0])
        return self._split(self._offset(pointer))

    def _polynomial(self, value: Value) -> Polynomial:
        match value:
            case Const():
                return Polynomial.constant(value.signed)
            case Var(name):
                return self.writer.nests.closed_forms.get(name, Polynomial.symbol(signed(name)))
            case _:
                return Polynomial()

    def _offset(self, pointer: Value) -> Value:
        """The offset of an address from the array's begin, in elements."""
        address, base = self._variable(I64), self._variable(I64)
        self.body.append(Convert(address, "ptrtoint", pointer, self.span))
        self.body.append(Convert(base, "ptrtoint", self.stored.array.var, self.span))
        return self._binary("udiv", self._binary("sub", address, base), size_of(self.stored.array.element))

    def _split(self, offset: Value) -> tuple[Value, ...]:
        """The indices of the element at a row-major offset."""
        found: list[Value] = []
        for extent in reversed(self.stored.extents[1:]):
            found.insert(0, self._binary("urem", offset, extent))
            offset = self._binary("udiv", offset, extent)
        return (offset, *found)

    def _digit(self, index: Value, digit: Digit) -> Value:
        quotient = self._binary("udiv", index, digit.divisor)
        return quotient if digit.modulus is None else self._binary("urem", quotient, digit.modulus)

    def _binary(self, op: IntBinaryOp, left: Value, right: Value | int) -> Value:
        divisor = right if isinstance(right, int) else right.signed if isinstance(right, Const) else 0
        if op == "udiv" and divisor == 1:
            return left
        if op in ("udiv", "urem") and divisor > 0 and divisor & (divisor - 1) == 0:
            op, right = ("lshr", divisor.bit_length() - 1) if op == "udiv" else ("and", divisor - 1)
        result = self._variable(I64)
        self.body.append(Binary(result, op, left, const_i64(right) if isinstance(right, int) else right, span=self.span))
        return result

    def _variable(self, type_: Type) -> Var:
        result = self.writer.names.variable(f"{self.stored.array.var.name}.place", type_)
        self.writer.defined_in[result.name] = self.label
        return result
