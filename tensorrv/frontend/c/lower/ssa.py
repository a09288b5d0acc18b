"""On-the-fly construction of SSA form while a syntax tree is walked.

The method is Braun, Buchwald, Hack, Leißa, Mallon, Zwinkau: Simple and Efficient Construction of Static Single Assignment
Form (CC 2013). A variable that may be written is a `Slot`. Reading one in a block that does not write it looks in the
predecessors; a block whose predecessors are not all known yet is not sealed and gets an incomplete phi. Phis that merge
only one value disappear again. Reads are iterative (a work list of phis), so that long functions need no deep stack.

Blocks that nothing reaches are dead: they take instructions, but give no edges, and are not part of the result. Where later
jumps may go into statements (`goto`, cases in inner statements), what is dead shows only in the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from rv.internal_error import InternalError
from rv.ir.function import Block
from rv.ir.hints import NO_HINTS, LoopHints
from rv.ir.instructions import Branch, Instruction, Jump, Phi, Return, Terminator, successors
from rv.ir.rewrite import map_operands
from rv.ir.source import Span
from rv.ir.types import Type
from rv.ir.values import Undef, Value, Var


@dataclass(eq=False, slots=True)
class Slot:
    """A variable of the source in one activation of its function."""

    name: str
    type: Type
    span: Span | None


@dataclass(eq=False, slots=True)
class OpenPhi:
    """A phi whose operands are filled in later."""

    result: Var
    slot: Slot
    block: OpenBlock
    operands: list[tuple[OpenBlock, Value]] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class OpenBlock:
    """A block under construction."""

    label: str
    predecessors: list[OpenBlock] = field(default_factory=list)
    sealed: bool = False
    dead: bool = False
    phis: list[OpenPhi] = field(default_factory=list)
    incomplete: list[OpenPhi] = field(default_factory=list)
    body: list[Instruction] = field(default_factory=list)
    terminator: Terminator | None = None
    values: dict[Slot, Value] = field(default_factory=dict)
    hints: LoopHints = NO_HINTS
    span: Span | None = None


class Names:
    """Unique names: the first use of a name is plain, the next ones get `.1`, `.2`, ..."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def unique(self, name: str) -> str:
        count = self._counts.get(name)
        self._counts[name] = 0 if count is None else count + 1
        return name if count is None else self.unique_number(name, count + 1)

    @staticmethod
    def unique_number(name: str, number: int) -> str:
        return f"{name}.{number}"


class SsaBuilder:
    """Builds the blocks of one function. `temporary` is a name that no variable of the source has."""

    def __init__(self, temporary: str) -> None:
        self.variables = Names()
        self.labels = Names()
        self.temporary = temporary
        self.placed: list[OpenBlock] = []
        self.replaced: dict[str, Value] = {}
        self.serial = 0
        self.entered = False
        self.block = self.new_block("entry")
        self.seal(self.block)
        self.placed.append(self.block)

    # names

    def temp(self, type_: Type) -> Var:
        self.serial += 1
        return Var(f"{self.temporary}.{self.serial}", type_)

    def named(self, name: str, type_: Type) -> Var:
        return Var(self.variables.unique(name), type_) if name else self.temp(type_)

    # blocks

    def new_block(self, label: str) -> OpenBlock:
        return OpenBlock(self.labels.unique(label))

    def place(self, block: OpenBlock, *, seal: bool = True) -> None:
        """Continue in `block`; seal it when all its predecessors are known."""
        block.dead = not block.predecessors and not self.entered
        if seal:
            self.seal(block)
        self.placed.append(block)
        self.block = block

    def jump(self, target: OpenBlock, span: Span | None = None) -> None:
        self._end(Jump(target.label, span), (target,))

    def branch(self, condition: Value, then: OpenBlock, otherwise: OpenBlock, span: Span | None = None) -> None:
        assert then is not otherwise
        self._end(Branch(condition, then.label, otherwise.label, span), (then, otherwise))

    def leave(self, value: Value | None, span: Span | None = None) -> None:
        self._end(Return(value, span), ())

    def _end(self, terminator: Terminator, targets: tuple[OpenBlock, ...]) -> None:
        if self.block.terminator is not None:
            raise InternalError(f"block {self.block.label} ends twice")
        self.block.terminator = terminator
        if not self.block.dead:
            for target in targets:
                assert not target.sealed
                target.predecessors.append(self.block)

    def seal(self, block: OpenBlock) -> None:
        """All predecessors are known: complete the block's phis."""
        block.sealed = True
        self._fill(block.incomplete)
        block.incomplete = []

    def emit(self, instruction: Instruction) -> None:
        self.block.body.append(instruction)

    @contextmanager
    def jumps_into(self, entered: bool) -> Iterator[None]:
        """Blocks placed inside may get predecessors later, if `entered`."""
        outer, self.entered = self.entered, self.entered or entered
        try:
            yield
        finally:
            self.entered = outer

    # variables

    def write(self, slot: Slot, value: Value) -> Value:
        """Assign to a variable and return its value: a temporary that was just computed for it takes its name."""
        self.block.values[slot] = renamed = self._rename(slot.name, value)
        return renamed

    def _rename(self, name: str, value: Value) -> Value:
        body = self.block.body
        if not name or not isinstance(value, Var) or not body or body[-1].result != value:
            return value
        if value.name != f"{self.temporary}.{self.serial}":
            return value
        renamed = self.named(name, value.type)
        body[-1] = replace(body[-1], result=renamed)
        return renamed

    def read(self, slot: Slot) -> Value:
        """The variable's value here; Undef where it was never written."""
        pending: list[OpenPhi] = []
        value = self._look_up(slot, self.block, pending)
        self._fill(pending)
        return self.resolve(value)

    def _look_up(self, slot: Slot, block: OpenBlock, pending: list[OpenPhi]) -> Value:
        passed: list[OpenBlock] = []
        while True:
            if slot in block.values:
                value = self.resolve(block.values[slot])
                break
            if block.sealed and len(block.predecessors) == 1:
                passed.append(block)
                block = block.predecessors[0]
                continue
            if block.sealed and not block.predecessors:
                value = Undef(slot.type)
            else:
                phi = OpenPhi(self.named(slot.name, slot.type), slot, block)
                block.phis.append(phi)
                (pending if block.sealed else block.incomplete).append(phi)
                value = phi.result
            block.values[slot] = value
            break
        for user in passed:
            user.values[slot] = value
        return value

    def _fill(self, pending: list[OpenPhi]) -> None:
        filled: list[OpenPhi] = []
        pending = list(pending)
        while pending:
            phi = pending.pop()
            for predecessor in phi.block.predecessors:
                phi.operands.append((predecessor, self._look_up(phi.slot, predecessor, pending)))
            filled.append(phi)
        for phi in reversed(filled):
            self._drop_if_trivial(phi)

    def _drop_if_trivial(self, phi: OpenPhi) -> bool:
        """Replace a phi that merges a single value, apart from itself."""
        found: Value | None = None
        for _, operand in phi.operands:
            value = self.resolve(operand)
            if value == phi.result or value == found:
                continue
            if found is not None:
                return False
            found = value
        self.replaced[phi.result.name] = found if found is not None else Undef(phi.result.type)
        phi.block.phis.remove(phi)
        return True

    def resolve(self, value: Value) -> Value:
        """What a value has become after phis were dropped."""
        while isinstance(value, Var) and value.name in self.replaced:
            value = self.replaced[value.name]
        return value

    # the result

    def finish(self) -> tuple[Block, ...]:
        """The blocks that can be reached, in the order they were placed."""
        reached = self._reached()
        alive = [block for block in self.placed if block.label in reached]
        for phi in (phi for block in alive for phi in block.phis):
            phi.operands = [(block, value) for block, value in phi.operands if block.label in reached]
        dropped = True
        while dropped:
            dropped = False
            for phi in [phi for block in alive for phi in block.phis]:
                dropped |= self._drop_if_trivial(phi)
        return tuple(self._closed(block) for block in alive)

    def _reached(self) -> set[str]:
        blocks = {block.label: block for block in self.placed}
        seen, pending = set[str](), [self.placed[0].label]
        while pending:
            label = pending.pop()
            terminator = blocks[label].terminator
            if label not in seen and terminator is not None:
                seen.add(label)
                pending.extend(successors(terminator))
        return seen

    def _closed(self, block: OpenBlock) -> Block:
        if block.terminator is None:
            raise InternalError(f"block {block.label} has no end")
        phis = tuple(
            Phi(phi.result, tuple((b.label, self.resolve(v)) for b, v in phi.operands), phi.slot.span) for phi in block.phis
        )
        body = tuple(map_operands(instruction, self.resolve) for instruction in block.body)
        return Block(block.label, phis, body, map_operands(block.terminator, self.resolve), block.hints, block.span)
