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
from rv.ir.rewrite import FreshNames
from rv.ir.values import Value, Var
from rv.transform.loops.copies import defined_names, relabeled


@dataclass(frozen=True, slots=True)
class Test:
    """The code of a run-time test, and its answer."""

    code: tuple[Instruction, ...]
    answer: Value


@dataclass(frozen=True, slots=True)
class Versions:
    """The function with two versions, and the labels of the blocks of the one that is not guarded, by those of the other."""

    function: Function
    copies: Mapping[str, str]


def version_loops(function: Function, loops: Sequence[NaturalLoop], tests: Mapping[str, Test]) -> Versions:
    """`function` with loops, none in another one, in two versions each; the guarded one has the original labels and names.

    `tests` are by header. A version of a loop can get versions itself. A loop may be any region with one way in, to its header,
    and one way out.
    """
    names = FreshNames.of(function)
    names.taken.update(i.result.name for test in tests.values() for i in test.code if i.result is not None)
    versions = [_versions(function, loop, tests[loop.header], names) for loop in loops]
    inside = {label: own for own in versions for label in own.loop.blocks}
    entered = {own.preheader: own for own in versions}
    left = {own.exit: own for own in versions}
    result: list[Block] = []
    for block in function.blocks:
        if block.label in inside:
            result += inside[block.label].both(block)
            continue
        if block.label in left:
            *exits, block = left[block.label].joined(block, names)
            result += exits
        result += entered[block.label].guarded(block) if block.label in entered else (block,)
    copies = {label: copy for own in versions for label, copy in own.copied.items()}
    return Versions(replace(function, blocks=tuple(result)), copies)


@dataclass(frozen=True, slots=True)
class _Versions:
    """The two versions of a loop. `copied` and `defined` are the labels and names in the one that is not guarded.

    `entries` and `exits` are the blocks by which the guarded one and the other are entered and left.
    """

    loop: NaturalLoop
    copied: Mapping[str, str]
    defined: Mapping[str, str]
    test: Test
    entries: tuple[str, str]
    exits: tuple[str, str]

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
        fast, slow = self.entries
        tested = replace(block, body=(*block.body, *self.test.code), terminator=Branch(self.test.answer, fast, slow))
        return tested, _entering(fast, header), _entering(slow, self.copied[header])

    def both(self, block: Block) -> tuple[Block, Block]:
        """A block of the loop in both versions."""
        fast, slow = ({self.preheader: entry, self.exit: left} for entry, left in zip(self.entries, self.exits, strict=True))
        copy = replace(relabeled(block, {**self.copied, **slow}, self.defined), label=self.copied[block.label])
        return relabeled(block, fast, {}), copy

    def joined(self, block: Block, names: FreshNames) -> list[Block]:
        """The exit block behind one exit of its own for each version."""
        ((exiting, _),) = self.loop.exits
        fast_exit, slow_exit = self.exits
        fast_phis, slow_phis, phis = [], [], []
        for phi in block.phis:
            value = phi.value_from(exiting)
            copied = isinstance(value, Var) and value.name in self.defined
            slow_value = Var(self.defined[value.name], value.type) if isinstance(value, Var) and copied else value
            fast, slow = (names.variable(f"{phi.result.name}.{how}", phi.result.type) for how in ("fast", "slow"))
            fast_phis.append(Phi(fast, ((exiting, value),), phi.span))
            slow_phis.append(Phi(slow, ((self.copied[exiting], slow_value),), phi.span))
            phis.append(Phi(phi.result, ((fast_exit, fast), (slow_exit, slow)), phi.span))
        return [
            Block(fast_exit, tuple(fast_phis), (), Jump(block.label)),
            Block(slow_exit, tuple(slow_phis), (), Jump(block.label)),
            replace(block, phis=tuple(phis)),
        ]


def _versions(function: Function, loop: NaturalLoop, test: Test, names: FreshNames) -> _Versions:
    labels = [block.label for block in function.blocks if block.label in loop.blocks]
    copied = {label: names.name(f"{label}.slow") for label in labels}
    defined = {name: names.name(f"{name}.slow") for label in labels for name in defined_names(function.block(label))}
    ((_, outside),) = loop.exits
    entries = (names.name(f"{loop.header}.enter"), names.name(f"{copied[loop.header]}.enter"))
    return _Versions(loop, copied, defined, test, entries, (names.name(f"{outside}.fast"), names.name(f"{outside}.slow")))


def _entering(label: str, header: str) -> Block:
    return Block(label, (), (), Jump(header))
