"""Two versions of loops, of which a run-time test picks one.

    P: ... jump H                      P: ... test; branch %test, H.enter, H.slow.enter
    H: loop, leaves to X        ->     H.enter: jump H           H.slow.enter: jump H.slow
    X: phis of H                       H: loop, leaves to X.fast   H.slow: copy of the loop, leaves to X.slow
                                       X: phis of X.fast and X.slow

The function is in loop-simplify and LCSSA form before and after. `rv.transform.loops.run_time_test` makes tests of proofs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rv.analysis.cfg.loops import NaturalLoop
from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, Instruction, Jump, Phi
from rv.ir.values import Value, Var
from rv.transform.loops.copies import defined_names, relabeled


@dataclass(frozen=True, slots=True)
class Test:
    """The code of a run-time test, and its answer."""

    code: tuple[Instruction, ...]
    answer: Value


def version_loops(function: Function, loops: Sequence[NaturalLoop], tests: Mapping[str, Test], suffix: str = "") -> Function:
    """`function` with loops, none in another one, in two versions each; the guarded one has the original labels and names.

    `tests` are by header; new names get the `suffix`, so that a version of a loop can get versions itself. A loop may be any
    region with one way in, to its header, and one way out.
    """
    versions = [_Versions.of(function, loop, tests[loop.header], suffix) for loop in loops]
    inside = {label: own for own in versions for label in own.loop.blocks}
    entered = {own.preheader: own for own in versions}
    left = {own.exit: own for own in versions}
    result: list[Block] = []
    for block in function.blocks:
        if block.label in inside:
            result += inside[block.label].both(block)
            continue
        if block.label in left:
            *exits, block = left[block.label].joined(block)
            result += exits
        result += entered[block.label].guarded(block) if block.label in entered else (block,)
    return replace(function, blocks=tuple(result))


@dataclass(frozen=True, slots=True)
class _Versions:
    """The two versions of a loop. `copied` and `defined` are the labels and names in the one that is not guarded."""

    loop: NaturalLoop
    copied: Mapping[str, str]
    defined: Mapping[str, str]
    test: Test
    suffix: str

    @staticmethod
    def of(function: Function, loop: NaturalLoop, test: Test, suffix: str) -> _Versions:
        copied = {label: f"{label}.slow{suffix}" for label in loop.blocks}
        defined = {name: f"{name}.slow{suffix}" for label in loop.blocks for name in defined_names(function.block(label))}
        return _Versions(loop, copied, defined, test, suffix)

    @property
    def preheader(self) -> str:
        (preheader,) = self.loop.entering
        return preheader

    @property
    def exit(self) -> str:
        ((_, outside),) = self.loop.exits
        return outside

    def guarded(self, block: Block) -> tuple[Block, Block, Block]:
        """The preheader, which tests, and the blocks that enter the versions."""
        header = self.loop.header
        branch = Branch(self.test.answer, self._enter, self._slow_enter)
        tested = replace(block, body=(*block.body, *self.test.code), terminator=branch)
        return tested, _entering(self._enter, header), _entering(self._slow_enter, self.copied[header])

    @property
    def _enter(self) -> str:
        return f"{self.loop.header}.enter{self.suffix}"

    @property
    def _slow_enter(self) -> str:
        return f"{self.copied[self.loop.header]}.enter"

    def _left(self, how: str) -> str:
        return f"{self.exit}.{how}{self.suffix}"

    def both(self, block: Block) -> tuple[Block, Block]:
        """A block of the loop in both versions."""
        fast = {self.preheader: self._enter, self.exit: self._left("fast")}
        slow = {**self.copied, self.preheader: self._slow_enter, self.exit: self._left("slow")}
        copy = replace(relabeled(block, slow, self.defined), label=self.copied[block.label])
        return relabeled(block, fast, {}), copy

    def joined(self, block: Block) -> list[Block]:
        """The exit block behind one exit of its own for each version."""
        ((exiting, _),) = self.loop.exits
        fast_phis, slow_phis, phis = [], [], []
        for phi in block.phis:
            value = phi.value_from(exiting)
            copied = isinstance(value, Var) and value.name in self.defined
            slow_value = Var(self.defined[value.name], value.type) if isinstance(value, Var) and copied else value
            fast_result, slow_result = (Var(f"{phi.result.name}.{how}{self.suffix}", phi.result.type) for how in ("fast", "slow"))
            fast_phis.append(Phi(fast_result, ((exiting, value),), phi.span))
            slow_phis.append(Phi(slow_result, ((self.copied[exiting], slow_value),), phi.span))
            phis.append(Phi(phi.result, ((self._left("fast"), fast_result), (self._left("slow"), slow_result)), phi.span))
        return [
            Block(self._left("fast"), tuple(fast_phis), (), Jump(block.label)),
            Block(self._left("slow"), tuple(slow_phis), (), Jump(block.label)),
            replace(block, phis=tuple(phis)),
        ]


def _entering(label: str, header: str) -> Block:
    return Block(label, (), (), Jump(header))
