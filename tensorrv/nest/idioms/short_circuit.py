"""Short-circuit reductions: an operand that is evaluated only until it decides is evaluated in every iteration.

    if (k < 0 && a[i] == x) k = i;          bool test = a[i] == x;  if (k < 0 && test) k = i;
    any = any || a[i] > x;            ->    bool test = a[i] > x;   any = test ? 1 : any;
    all = all && a[i] > x;                  bool test = a[i] > x;   all = test ? all : 0;

The right operand of `&&` or `||` only runs depending on a loop-carried variable. It is moved before the branch where
it does nothing but compute and read elements that exist in all iterations (`tensorrv.nest.legality.counted_reads`), and where the
variable has become a reduction or selection then. `nsw` flags of arithmetic that no address needs are dropped: the source would
not have computed it.

The truth of a variable that is 0 or 1 is the variable: `(any != 0) | test` is `test ? 1 : any`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from rv.analysis.cfg.loops import LoopForest, NaturalLoop, find_loops
from rv.analysis.remembered import remembered
from rv.analysis.values.effects import is_speculatable
from rv.analysis.values.uses import Definition, definitions
from rv.evolution.closed_forms import ClosedForms
from rv.evolution.polynomial import Polynomial, signed
from rv.evolution.reductions import find_reductions
from rv.evolution.selections import find_selections
from rv.ir.comparisons import NEGATED
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Branch, CompareInt, Convert, Instruction, Load, Phi, Select, operands
from rv.ir.rewrite import FreshNames
from rv.ir.types import I1, IntType, Type, bits_of
from rv.ir.values import FALSE, TRUE, Const, Value, Var
from rv.transform.prepare import prepare
from tensorrv.nest.legality.counted_reads import CountedReads, CountedTest
from tensorrv.unit.declared_array import DeclaredArray


def asking_always(function: Function, arrays: Mapping[str, DeclaredArray]) -> Function:
    """The prepared function with the loops that become reductions by evaluation in every iteration. `arrays`: as declared."""
    return _asking_always(function, tuple(arrays.items()))


@remembered
def _asking_always(function: Function, declared: tuple[tuple[str, DeclaredArray], ...]) -> Function:
    arrays = dict(declared)
    loops = _Carried.by_loops_of(function)
    for header in [loop.header for loop in loops.forest.innermost_first()]:
        carried = loops.names(header)
        if carried:
            evaluated = _evaluating(loops.function, header, arrays)
            plain = _plainly(evaluated, header)
            changed = evaluated if plain == evaluated else prepare(plain)
            if header in find_loops(changed).loops and (new := _Carried.by_loops_of(changed)).names(header) < carried:
                loops = new
    return loops.function


def _evaluating(function: Function, header: str, arrays: Mapping[str, DeclaredArray]) -> Function:
    """The function with nothing behind branches that variables of a loop decide, as far as it may be moved."""
    while (loop := find_loops(function).loops.get(header)) is not None:
        evaluated = _evaluated(function, loop, arrays)
        if evaluated is None:
            break
        function = prepare(evaluated)
    return function


@dataclass(frozen=True, slots=True)
class _Carried:
    """The variables that loops carry and that are neither counters nor reductions, found for each loop when it is visited."""

    function: Function
    forest: LoopForest
    forms: ClosedForms

    @staticmethod
    def by_loops_of(function: Function) -> _Carried:
        forest = find_loops(function)
        return _Carried(function, forest, ClosedForms(function, forest))

    def names(self, header: str) -> frozenset[str]:
        """What a loop carries, by the names in the source."""
        return frozenset(variable.source_name for variable in self.variables(header))

    def variables(self, header: str) -> tuple[Var, ...]:
        """The phis of a loop's header that are carried."""
        loops, forms = (self.forest.loops[header],), self.forms
        reductions = find_reductions(self.function, loops, forms.definitions)
        selections = find_selections(self.function, loops, forms.definitions, forms.defined_in, reductions)
        folded = {r.phi for r in reductions} | {member for s in selections for member in s.members}
        phis = (phi.result for phi in self.function.block(header).phis)
        return tuple(variable for variable in phis if variable not in folded and not self._is_counted(variable))

    def _is_counted(self, variable: Var) -> bool:
        """Whether an integer follows from the counters of loops."""
        form = self.forms.form(variable) if isinstance(variable.type, IntType) and variable.type != I1 else None
        return form is not None and form.polynomial != Polynomial.symbol(signed(variable.name))


# -- evaluation in every iteration -------------------------------------------------------------------------------------


def _evaluated(function: Function, loop: NaturalLoop, arrays: Mapping[str, DeclaredArray]) -> Function | None:
    """The function with code behind branches that carried variables decide in front of them; None when there is none."""
    if len(loop.latches) != 1 or len(loop.entering) != 1:
        return None
    reads = CountedReads(function, loop, arrays)
    test = reads.test()
    if test is None:
        return None
    blocks = {block.label: block for block in function.blocks}
    decided = set(_decided(function, loop, reads))
    moved = False
    for label in (label for label in reads.dominators.order if label in decided):
        for arm in _arms(blocks, blocks[label], reads):
            if arm.body and all(_harmless(i, arm.label, reads, test) for i in arm.body):
                blocks[label] = replace(blocks[label], body=(*blocks[label].body, *_without_promises(arm.body)))
                blocks[arm.label] = replace(arm, body=())
                moved = True
    return replace(function, blocks=tuple(blocks.values())) if moved else None


def _harmless(instruction: Instruction, label: str, reads: CountedReads, test: CountedTest) -> bool:
    """Whether an instruction of a block may be executed in iterations that do not come to the block."""
    return reads.exists(instruction, label, test) if isinstance(instruction, Load) else is_speculatable(instruction)


def _decided(function: Function, loop: NaturalLoop, reads: CountedReads) -> Iterator[str]:
    """The blocks in a loop whose branch depends on a variable that the loop carries and does not count.

    Those of headers of loops inside are none: what is moved before the test of a loop goes behind it again (`bare_tests`).
    """
    known = _Carried.by_loops_of(function)
    carried = {variable.name for variable in known.variables(loop.header)}
    for label in loop.blocks - known.forest.loops.keys():
        end = function.block(label).terminator
        if isinstance(end, Branch) and not carried.isdisjoint(_rests_on(end.condition, reads.definitions)):
            yield label


def _rests_on(value: Value, known: Mapping[str, Definition]) -> frozenset[str]:
    """The variables that a value is computed from, phis included and not looked into."""
    pending, seen = [value], set[str]()
    while pending:
        here = pending.pop()
        if isinstance(here, Var) and here.name not in seen:
            seen.add(here.name)
            definition = known.get(here.name)
            pending += () if definition is None or isinstance(definition, Phi) else operands(definition)
    return frozenset(seen)


def _arms(blocks: Mapping[str, Block], head: Block, reads: CountedReads) -> Iterator[Block]:
    """The blocks that only this branch leads to."""
    for label in dict.fromkeys(head.successors):
        arm = blocks[label]
        inside = label in reads.loop.blocks and label not in (reads.loop.header, reads.loop.latches[0])
        if inside and not arm.phis and arm.predicate == TRUE and reads.dominators.immediate[label] == head.label:
            yield arm


def _without_promises(body: tuple[Instruction, ...]) -> Iterator[Instruction]:
    """The instructions, without `nsw` where no address needs it."""
    addresses: set[str] = set()
    for instruction in reversed(body):
        if isinstance(instruction, Load) or (instruction.result is not None and instruction.result.name in addresses):
            addresses.update(value.name for value in operands(instruction) if isinstance(value, Var))
    for instruction in body:
        if isinstance(instruction, Binary) and instruction.result.name not in addresses:
            yield replace(instruction, nsw=False)
        else:
            yield instruction


# -- one choice for every answer --------------------------------------------------------------------------------------------


def _plainly(function: Function, header: str) -> Function:
    """The function in which what a loop carries is chosen once in an iteration, and truth values are not converted."""
    plain = _Plain(dict(definitions(function)), FreshNames.of(function))
    inside = find_loops(function).loops[header].blocks
    return replace(function, blocks=tuple(plain.block(b) if b.label in inside else b for b in function.blocks))


@dataclass(slots=True)
class _Plain:
    """Rewrites choices, block by block. `known` has the definitions as they are by now; new conditions are made once."""

    known: dict[str, Definition]
    names: FreshNames
    body: list[Instruction] = field(default_factory=list)
    made: dict[tuple[object, ...], Value] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        self.body, self.made = [], {}
        for instruction in block.body:
            new = self._rewritten(instruction)
            if new.result is not None:
                self.known[new.result.name] = new
            self.body.append(new)
        return replace(block, body=tuple(self.body))

    def _rewritten(self, instruction: Instruction) -> Instruction:
        match instruction:
            case Convert(result=result, op="zext", value=value) if value.type == I1:
                return self._of_truths(result, value, instruction) or self._of_words(result, value) or instruction
            case Select(result=result) if result.type == I1:
                return self._conjunction(instruction)
            case Select():
                return self._of_values(instruction)
            case _:
                return instruction

    def _definition(self, value: Value) -> Definition | None:
        return self.known.get(value.name) if isinstance(value, Var) else None

    # -- conditions

    def _conjunction(self, select: Select) -> Select:
        """`!(a < b) && c` as `a >= b && c`."""
        if (select.then != FALSE and select.otherwise != TRUE) or (opposite := self._opposite(select.condition)) is None:
            return select
        return replace(select, condition=opposite, then=select.otherwise, otherwise=select.then)

    def _opposite(self, value: Value) -> Value | None:
        """The opposite of a comparison."""
        test = self._definition(value)
        if not isinstance(test, CompareInt):
            return None
        if (value,) not in self.made:
            self.made[value,] = self._new(replace(test, result=self._truth(), predicate=NEGATED[test.predicate]))
        return self.made[value,]

    def _combined(self, one: Value, two: Value, decided: Value) -> Value:
        """`one && two` where `decided` is false, `one || two` where it is true."""
        key = (one, two, decided)
        if key not in self.made:
            ways = (two, FALSE) if decided == FALSE else (TRUE, two)
            self.made[key] = self._new(Select(self._truth(), one, *ways))
        return self.made[key]

    def _truth(self) -> Var:
        return self.names.variable("evaluated", I1)

    def _new(self, instruction: CompareInt | Convert | Select) -> Var:
        self.known[instruction.result.name] = instruction
        self.body.append(instruction)
        return instruction.result

    # -- choices

    def _of_values(self, select: Select) -> Instruction:
        """`a ? (b ? v : old) : old` and `!a ? old : (b ? v : old)` as `a && b ? v : old`."""
        old, new, condition = select.otherwise, select.then, select.condition
        inner = self._definition(select.otherwise)
        chooses_again = isinstance(inner, Select) and inner.otherwise == select.then
        test = self._definition(condition)
        if chooses_again or (isinstance(test, CompareInt) and test.left == select.then):
            opposite = self._opposite(condition)
            if opposite is None:
                return select
            old, new, condition = select.then, select.otherwise, opposite
        match self._definition(new):
            case Select(condition=again, then=then, otherwise=otherwise) if otherwise == old:
                return Select(select.result, self._combined(condition, again, FALSE), then, old, select.span)
            case Convert(op="zext", value=narrow) if narrow.type == I1 and isinstance(old, Var):
                for predicate, either in (("eq", True), ("ne", False)):
                    if self._tested(condition, predicate) == old:
                        return _chosen(select.result, narrow, old, select, either=either)
            case _:
                pass
        return select

    def _of_truths(self, result: Var, value: Value, at: Instruction) -> Instruction | None:
        """`zext(v != 0 || c)` as `c ? 1 : v`, and `zext(v != 0 && c)` as `c ? v : 0`."""
        for decided in (TRUE, FALSE):
            parts = self._parts(value, decided)
            olds = [part for part in parts if (v := self._tested(part, "ne")) is not None and v.type == result.type]
            if len(parts) > 1 and len(olds) == 1:
                rest = [part for part in parts if part != olds[0]]
                evaluated = rest[0]
                for part in rest[1:]:
                    evaluated = self._combined(evaluated, part, decided)
                old = self._tested(olds[0], "ne")
                assert old is not None
                return _chosen(result, evaluated, old, at, either=decided == TRUE)
        return None

    def _parts(self, value: Value, decided: Value) -> list[Value]:
        """The truth values that are joined by `||` where `decided` is true, by `&&` where it is false."""
        match self._definition(value):
            case Select(condition=one, then=then, otherwise=two) if decided == TRUE and then == TRUE:
                return [*self._parts(one, decided), *self._parts(two, decided)]
            case Select(condition=one, then=two, otherwise=otherwise) if decided == FALSE and otherwise == FALSE:
                return [*self._parts(one, decided), *self._parts(two, decided)]
            case _:
                return [value]

    def _of_words(self, result: Var, value: Value) -> Instruction | None:
        """`zext((zext(v) | zext(c)) != 0)`, as C defines `_Bool v; v |= c;`, as `v | zext(c)`; `&` and `^` as well.

        For any number x, `v | x` is `v | (x != 0)` then, and `v & x` the lowest bit.
        """
        test = self._definition(value)
        if not isinstance(test, CompareInt) or test.predicate != "ne" or not isinstance(test.right, Const) or test.right.bits:
            return None
        word = self._definition(test.left)
        if not isinstance(word, Binary) or word.op not in ("or", "and", "xor"):
            return None
        left, right = (self._narrow(side, result.type) for side in (word.left, word.right))
        if left is not None and right is None:
            right = self._taken(word.op, word.right, result.type)
        elif right is not None and left is None:
            left = self._taken(word.op, word.left, result.type)
        return None if left is None or right is None else Binary(result, word.op, left, right, span=word.span)

    def _taken(self, op: str, value: Value, type_: Type) -> Value | None:
        """What a variable that is 0 or 1 takes from any number that is joined to it."""
        match op:
            case "or":
                differs = self._new(CompareInt(self._truth(), "ne", value, Const(value.type, 0)))
                return self._new(Convert(self.names.variable("evaluated", type_), "zext", differs))
            case "and" if bits_of(value.type) > bits_of(type_):
                return self._new(Convert(self.names.variable("evaluated", type_), "trunc", value))
            case _:
                return None

    def _narrow(self, value: Value, type_: Type) -> Value | None:
        """A number that is 0 or 1, in another type."""
        wide = self._definition(value)
        if not isinstance(wide, Convert) or wide.op != "zext" or not self._is_truth(value, set()):
            return None
        if wide.value.type == type_:
            return wide.value
        if wide.value.type != I1:
            return None
        return self._new(Convert(Var(self.names.name("evaluated"), type_), "zext", wide.value))

    # -- what is 0 or 1

    def _tested(self, value: Value, predicate: str) -> Var | None:
        """The variable, 0 or 1, that a truth value compares with 0."""
        test = self._definition(value)
        if not isinstance(test, CompareInt) or test.predicate != predicate or not isinstance(test.left, Var):
            return None
        zero = isinstance(test.right, Const) and isinstance(test.right.type, IntType) and not test.right.bits
        return test.left if zero and self._is_truth(test.left, set()) else None

    def _is_truth(self, value: Value, seen: set[str]) -> bool:
        """Whether a value is always 0 or 1, as a carried phi is when everything that it may become is."""
        if isinstance(value, Const):
            return isinstance(value.type, IntType) and value.bits in (0, 1)
        if not isinstance(value, Var):
            return False
        if value.name in seen:
            return True
        seen.add(value.name)
        match self.known.get(value.name):
            case Convert(op="zext", value=narrow):
                return narrow.type == I1 or self._is_truth(narrow, seen)
            case Select(then=then, otherwise=otherwise):
                return self._is_truth(then, seen) and self._is_truth(otherwise, seen)
            case Phi(incoming=incoming):
                return all(self._is_truth(v, seen) for _, v in incoming)
            case _:
                return False


def _chosen(result: Var, evaluated: Value, old: Var, at: Instruction, *, either: bool) -> Select:
    """`evaluated || old` or `evaluated && old` as a number."""
    type_ = result.type
    assert isinstance(type_, IntType) and isinstance(at, Convert | Select)
    then, otherwise = (Const(type_, 1), old) if either else (old, Const(type_, 0))
    return Select(result, evaluated, then, otherwise, at.span)
