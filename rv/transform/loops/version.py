"""Two versions of loops, of which a run-time test picks one.

    P: ... jump H                      P: ... %guard = call trv.guard.H(); branch %guard, H.enter, H.slow.enter
    H: loop, leaves to X        ->     H.enter: jump H           H.slow.enter: jump H.slow
    X: phis of H                       H: loop, leaves to X.fast   H.slow: copy of the loop, leaves to X.slow
                                       X: phis of X.fast and X.slow

The function is in loop-simplify and LCSSA form before and after. What the guard tests is up to whoever generates code for it; the
call has no definition of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from rv.analysis.cfg.loops import NaturalLoop
from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, Call, Jump, Phi
from rv.ir.types import I1
from rv.ir.values import Var
from rv.transform.loops.copies import defined_names, relabeled

GUARD: Final = "trv.guard."
"""A call of this name and a header label stands for the test before the loop with that header."""


def version_loops(function: Function, loops: Sequence[NaturalLoop]) -> Function:
    """`function` with loops, none in another one, in two versions each; the guarded one has the original labels and names."""
    versions = [_Versions.of(function, loop) for loop in loops]
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

    @staticmethod
    def of(function: Function, loop: NaturalLoop) -> _Versions:
        copied = {label: f"{label}.slow" for label in loop.blocks}
        defined = {name: f"{name}.slow" for label in loop.blocks for name in defined_names(function.block(label))}
        return _Versions(loop, copied, defined)

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
        guard = Var(f"guard.{header}", I1)
        branch = Branch(guard, f"{header}.enter", f"{header}.slow.enter")
        tested = replace(block, body=(*block.body, Call(guard, GUARD + header, ())), terminator=branch)
        return tested, _entering(f"{header}.enter", header), _entering(f"{header}.slow.enter", self.copied[header])

    def both(self, block: Block) -> tuple[Block, Block]:
        """A block of the loop in both versions."""
        header = self.loop.header
        fast = {self.preheader: f"{header}.enter", self.exit: f"{self.exit}.fast"}
        slow = {**self.copied, self.preheader: f"{header}.slow.enter", self.exit: f"{self.exit}.slow"}
        copy = replace(relabeled(block, slow, self.defined), label=self.copied[block.label])
        return relabeled(block, fast, {}), copy

    def joined(self, block: Block) -> list[Block]:
        """The exit block behind one exit of its own for each version."""
        return _join(block, self.loop.header, self.copied[self.loop.header], self.defined)


def _entering(label: str, header: str) -> Block:
    return Block(label, (), (), Jump(header))


def _join(block: Block, header: str, slow_header: str, names: Mapping[str, str]) -> list[Block]:
    """The exit block behind one exit of its own for each version."""
    fast_phis, slow_phis, phis = [], [], []
    for phi in block.phis:
        value = phi.value_from(header)
        slow_value = Var(names[value.name], value.type) if isinstance(value, Var) and value.name in names else value
        fast_result, slow_result = (
            Var(f"{phi.result.name}.fast", phi.result.type),
            Var(f"{phi.result.name}.slow", phi.result.type),
        )
        fast_phis.append(Phi(fast_result, ((header, value),), phi.span))
        slow_phis.append(Phi(slow_result, ((slow_header, slow_value),), phi.span))
        phis.append(Phi(phi.result, ((f"{block.label}.fast", fast_result), (f"{block.label}.slow", slow_result)), phi.span))
    return [
        Block(f"{block.label}.fast", tuple(fast_phis), (), Jump(block.label)),
        Block(f"{block.label}.slow", tuple(slow_phis), (), Jump(block.label)),
        replace(block, phis=tuple(phis)),
    ]
