"""Loop headers that only test: what a header computes besides its test moves behind the branch, to both sides.

    head:                                   head:
      %i = phi i64 [0, pre], [%k, latch]      %i = phi i64 [0, pre], [%k, latch]
      store i64 %i, %p                        %c = icmp slt i64 %i, %n
      %x = mul i64 %i, %i                     branch %c, body, out
      %c = icmp slt i64 %i, %n        ->    body:
      branch %c, body, out                    store i64 %i, %p
    body:                                     ...
      ...                                   out:
    out:                                      store i64 %i, %p
      store i64 %x, %q                        %x.1 = mul i64 %i, %i
                                              store i64 %x.1, %q

A header runs once more than the rest of its loop. A brush counts the trips, so nothing that has an effect may stand before the
test, and what the last test computed must be known behind the loop without the header's variables.

Done in loops that only their header leaves, where it stores something or a value computed in it is read outside; needs
loop-simplify form. The test stays, with what it is computed from: if that is pure, it is computed again behind the loop where it
is read there; a value that the test loads still leaves the loop. Memory is accessed in the same order as before: nothing moves
when the test reads memory after a store of the header or calls a function that may write.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from rv.analysis.cfg.flow import flow_graph
from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.analysis.values.effects import is_pure, may_write
from rv.analysis.values.uses import statements
from rv.ir.function import Block, Function
from rv.ir.instructions import Alloca, Branch, Call, Horizontal, Instruction, Load, Mask, operands
from rv.ir.rewrite import FreshNames, map_block, map_operands, with_result
from rv.ir.values import TRUE, Var


def bare_tests(function: Function) -> Function:
    """The function whose loop headers only test, as far as that is possible."""
    moving = _Moving(function)
    for loop in find_loops(function).innermost_first():
        moving.visit(loop)
    return replace(function, blocks=tuple(moving.blocks.values())) if moving.changed else function


class _Moving:
    def __init__(self, function: Function) -> None:
        self.blocks = {block.label: block for block in function.blocks}
        self.predecessors = flow_graph(function).predecessors
        self.names = FreshNames.of(function)
        self.readers: dict[str, dict[str, None]] = {}
        """The labels of blocks that read each variable, and some that did."""
        self.changed = False
        for block in function.blocks:
            self._note(block)

    def _note(self, block: Block) -> None:
        for name in _reads(block):
            self.readers.setdefault(name, {})[block.label] = None

    def visit(self, loop: NaturalLoop) -> None:
        header = self.blocks[loop.header]
        sides = self._sides(header, loop)
        if sides is None:
            return
        read = self._read_outside(header, loop)
        kept = _kept(header)
        moved = [i for k, i in enumerate(header.body) if k not in kept]
        if not _may_move(header.body, kept):
            return
        copied = _copied(header.body, kept, read)
        if copied or any(map(may_write, moved)):
            self._move(header, moved, kept, copied, loop, *sides)

    def _sides(self, header: Block, loop: NaturalLoop) -> tuple[str, str] | None:
        """Where the header goes on and where it leaves to, when nothing else goes there, and nothing else leaves the loop."""
        match header.terminator, loop.exits:
            case Branch(then=then, otherwise=otherwise), [(label, outside)] if label == header.label and header.predicate == TRUE:
                inside = otherwise if then == outside else then
                alone = self.predecessors[inside] == self.predecessors[outside] == (label,)
                return (inside, outside) if alone else None
            case _:
                return None

    def _read_outside(self, header: Block, loop: NaturalLoop) -> set[str]:
        """The variables of the header's body that are read outside of the loop."""
        names = [i.result.name for i in header.body if i.result is not None]
        return {
            name
            for name in names
            if any(label not in loop.blocks and name in _reads(self.blocks[label]) for label in self.readers.get(name, ()))
        }

    def _move(
        self,
        header: Block,
        moved: Sequence[Instruction],
        kept: Collection[int],
        copied: Sequence[Instruction],
        loop: NaturalLoop,
        inside: str,
        outside: str,
    ) -> None:
        again = {i.result.name: self.names.variable(i.result.name, i.result.type) for i in copied if i.result is not None}
        code = [_again(instruction, again) for instruction in copied]
        left = replace(header, body=tuple(i for k, i in enumerate(header.body) if k in kept))
        self._put(left)
        self._take_in(inside, moved, {i.result.name: i.result for i in moved if i.result is not None})
        self._take_in(outside, code, again)
        for name in again:
            self._replace(name, again[name], lambda label: label not in loop.blocks)

    def _take_in(self, label: str, code: Sequence[Instruction], defined: Mapping[str, Var]) -> None:
        """Puts code to the top of a block; phis that carry in one of the values that it defines now give way to the value."""
        block = self.blocks[label]
        passed = {p.result.name: v.name for p in block.phis for _, v in p.incoming if isinstance(v, Var) and v.name in defined}
        self._put(replace(block, phis=tuple(p for p in block.phis if p.result.name not in passed), body=(*code, *block.body)))
        for name, value in passed.items():
            self._replace(name, defined[value], lambda _: True)

    def _replace(self, name: str, new: Var, where: Callable[[str], bool]) -> None:
        """Reads another variable in place of one, in some of the blocks."""
        for label in filter(where, tuple(self.readers.get(name, ()))):
            self._put(map_block(self.blocks[label], lambda v: new if isinstance(v, Var) and v.name == name else v))

    def _put(self, block: Block) -> None:
        self.changed = True
        self.blocks[block.label] = block
        self._note(block)


def _reads(block: Block) -> set[str]:
    values = (block.predicate, *(value for statement in statements(block) for value in operands(statement)))
    return {value.name for value in values if isinstance(value, Var)}


def _kept(header: Block) -> set[int]:
    """Where in the body of a header is what its test is computed from, or what depends on the threads that run the block."""
    wanted = {value.name for value in operands(header.terminator) if isinstance(value, Var)}
    kept: set[int] = set()
    for position, instruction in reversed(list(enumerate(header.body))):
        needed = instruction.result is not None and instruction.result.name in wanted
        if needed or isinstance(instruction, Alloca | Horizontal | Mask):
            kept.add(position)
            wanted |= {value.name for value in operands(instruction) if isinstance(value, Var)}
    return kept


def _may_move(body: Sequence[Instruction], kept: Collection[int]) -> bool:
    """Whether the order of accesses to memory stays as it is when what is not kept moves behind what is."""
    written = False
    for position, instruction in enumerate(body):
        if position in kept and (may_write(instruction) or (written and isinstance(instruction, Load | Call))):
            return False
        written = written or (position not in kept and may_write(instruction))
    return True


def _copied(body: Sequence[Instruction], kept: Collection[int], read: Collection[str]) -> list[Instruction]:
    """What is to be computed again behind the loop for the variables `read` there, and what has an effect, in order."""
    wanted = set(read)
    found: list[Instruction] = []
    for position, instruction in reversed(list(enumerate(body))):
        if position in kept and not is_pure(instruction):
            continue
        if may_write(instruction) or (instruction.result is not None and instruction.result.name in wanted):
            found.append(instruction)
            wanted |= {value.name for value in operands(instruction) if isinstance(value, Var)}
    return found[::-1]


def _again(instruction: Instruction, names: Mapping[str, Var]) -> Instruction:
    """A copy of the instruction with its own result, computed from copies."""
    copy = map_operands(instruction, lambda v: names.get(v.name, v) if isinstance(v, Var) else v)
    return copy if copy.result is None else with_result(copy, names[copy.result.name])
