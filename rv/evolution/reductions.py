"""Reductions: phis of loop headers that only fold one value per iteration with an associative operation (thesis, section 6.5).

The partial results are all variables of the loop that depend on the phi. Each must be the phi folded with something, by the
same operation: an operation with exactly one partial result among its operands, the smaller or larger of a partial result
and something else, a choice between partial results, a phi (of an inner loop, or behind one) of partial results only. So
nothing else in the loop can read one, and the value over the latch, if it is among them, is the phi folded with what the
iteration adds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from rv.analysis.cfg.loops import NaturalLoop
from rv.analysis.values.uses import Definition
from rv.evolution.facts import Reduction
from rv.evolution.readers import Statement, readers_in
from rv.ir.function import Function
from rv.ir.instructions import Binary, Call, CompareFloat, CompareInt, Phi, Select
from rv.ir.values import Undef, Value, Var

_ASSOCIATIVE: Final = frozenset({"add", "mul", "and", "or", "xor", "fadd", "fmul"})
_INVERSES: Final[Mapping[str, str]] = {"sub": "add", "fsub": "fadd", "fdiv": "fmul"}
_FUSED: Final = frozenset({"fma", "fmaf"})
_CALLS: Final[Mapping[str, str]] = {"fmin": "minnum", "fminf": "minnum", "fmax": "maxnum", "fmaxf": "maxnum"}
_MIXED: Final = ({"minnum", "fmin"}, {"maxnum", "fmax"})
_LESS: Final = frozenset({"slt", "sle", "ult", "ule", "olt", "ole"})
_GREATER: Final = frozenset({"sgt", "sge", "ugt", "uge", "ogt", "oge"})
_COMPARES: Final = "compare"  # decides which of two values a select takes; the select determines the operation

def find_reductions(
    function: Function, loops: Iterable[NaturalLoop], definitions: Mapping[str, Definition]
) -> tuple[Reduction, ...]:
    """The reductions of these loops, in their order."""
    found = []
    for loop in loops:
        if len(loop.latches) != 1 or len(loop.entering) != 1:
            continue
        readers = readers_in(function, loop.blocks)
        for phi in function.block(loop.header).phis:
            update = phi.value_from(loop.latches[0])
            operation = _operation(phi, update, readers, definitions)
            if operation is not None and isinstance(update, Var):
                found.append(Reduction(phi.result, loop.header, operation, update, phi.span))
    return tuple(found)


def _operation(
    phi: Phi, update: Value, readers: Mapping[str, list[Statement]], definitions: Mapping[str, Definition]
) -> str | None:
    """The operation that every partial result of `phi` folds with; None when it is no reduction."""
    partial = _Partial(phi, definitions)
    pending = [phi.result.name]
    seen: list[Definition] = []
    while pending:
        for reader in readers.get(pending.pop(), ()):
            result = getattr(reader, "result", None)
            if not isinstance(result, Var) or not _may_fold(reader):
                return None
            if result.name not in partial.names:
                partial.names.add(result.name)
                pending.append(result.name)
                seen.append(definitions[result.name])
    operations = {partial.fold(definition) for definition in seen if definition != phi} - {_COMPARES, ""}
    if operations in _MIXED and partial.has(update):
        return "fmin" if "fmin" in operations else "fmax"
    if len(operations) != 1 or not partial.has(update):
        return None
    return operations.pop()


def _may_fold(statement: Statement) -> bool:
    """Whether a statement of this kind can be part of a reduction at all."""
    return isinstance(statement, Binary | Call | CompareInt | CompareFloat | Select | Phi)


class _Partial:
    """The partial results of a phi by name, and what each of them is made with."""

    def __init__(self, phi: Phi, definitions: Mapping[str, Definition]) -> None:
        self.names = {phi.result.name}
        self._definitions = definitions

    def has(self, value: Value) -> bool:
        return isinstance(value, Var) and value.name in self.names

    def _one(self, left: Value, right: Value) -> bool:
        return self.has(left) != self.has(right)

    def fold(self, definition: Definition) -> str | None:
        """The operation of a partial result; "" where it is one of several others; None when it is no fold of a partial
        result.
        """
        match definition:
            case Binary(op=op, left=left, right=right) if op in _ASSOCIATIVE:
                return op if self._one(left, right) else None
            case Binary(op=op, left=left, right=right) if op in _INVERSES:
                return _INVERSES[op] if self.has(left) and not self.has(right) else None
            case Call(callee=callee, arguments=(left, right)) if callee in _CALLS:
                return _CALLS[callee] if self._one(left, right) else None
            case Call(callee=callee, arguments=(left, right, added)) if callee in _FUSED:
                return "fadd" if self.has(added) and not self.has(left) and not self.has(right) else None
            case CompareInt(left=left, right=right) | CompareFloat(left=left, right=right):
                return _COMPARES if self._one(left, right) else None
            case Select():
                return self._fold_select(definition)
            case Phi(incoming=incoming):
                return "" if all(self._is_value(value) for _, value in incoming) else None
            case _:
                return None

    def _fold_select(self, select: Select) -> str | None:
        if not self.has(select.condition):
            return "" if self._is_value(select.then) and self._is_value(select.otherwise) else None
        compare = self._comparison(select.condition)
        if compare is None or not self._one(select.then, select.otherwise):
            return None
        return _extremum(compare, select)

    def _is_value(self, value: Value) -> bool:
        """A partial result, as opposed to a comparison of one; or the placeholder in lanes that have none."""
        return isinstance(value, Undef) or (self.has(value) and self._comparison(value) is None)

    def _comparison(self, value: Value) -> CompareInt | CompareFloat | None:
        definition = self._definitions.get(value.name) if isinstance(value, Var) else None
        return definition if isinstance(definition, CompareInt | CompareFloat) else None


def _extremum(compare: CompareInt | CompareFloat, select: Select) -> str | None:
    """Which minimum or maximum `compare.left < compare.right ? then : otherwise` is."""
    predicate: str = compare.predicate
    if (select.then, select.otherwise) not in ((compare.left, compare.right), (compare.right, compare.left)):
        return None
    if predicate not in _LESS | _GREATER:
        return None
    takes_left = select.then == compare.left
    kind = "min" if (predicate in _LESS) == takes_left else "max"
    if isinstance(compare, CompareFloat):
        # `u` comparisons of floats are true for NaN: another function than C's `x < m ? x : m`
        return f"f{kind}" if predicate[0] == "o" else None
    return predicate[0] + kind
