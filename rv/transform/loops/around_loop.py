"""Code before and after a loop that only runs when the loop does, in blocks of its own unless the loop always runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rv.analysis.cfg.loops import NaturalLoop
from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, Jump, Load, Phi
from rv.ir.rewrite import FreshNames, rename_predecessor, substitute
from rv.ir.values import Undef, Value, Var
from rv.transform.loops.first_test import FirstTest


@dataclass(frozen=True, slots=True)
class Fetched:
    """A place in memory and the variable that gets its value before a loop; undefined there without a `load`."""

    pointer: Value
    first: Var
    load: Load | None


def only_when_it_runs(test: FirstTest, runs: str, skipped: str) -> Branch:
    """To `runs` when the loop runs, else to `skipped`."""
    return Branch(test.condition, runs, skipped) if test.runs_when else Branch(test.condition, skipped, runs)


def load_before(
    function: Function, loop: NaturalLoop, test: FirstTest, fetched: Sequence[Fetched], names: FreshNames
) -> Function:
    """Defines the first values: loaded at the end of the preheader."""
    (label,) = loop.entering
    preheader = function.block(label)
    if test.always:
        always = tuple(replace(f.load, result=f.first, pointer=f.pointer) for f in fetched if f.load is not None)
        function = insert(function, label, [replace(preheader, body=(*preheader.body, *always))])
        return substitute(function, {f.first.name: Undef(f.first.type) for f in fetched if f.load is None})
    load_label, new_preheader = names.name(f"{loop.header}.load"), names.name(f"{loop.header}.pre")
    loads: list[Load] = []
    phis: list[Phi] = []
    for f in fetched:
        value: Value = Undef(f.first.type)
        if f.load is not None:
            value = names.variable(f.first.name, f.first.type)
            loads.append(replace(f.load, result=value, pointer=f.pointer))
        phis.append(Phi(f.first, ((load_label, value), (label, Undef(f.first.type)))))
    chain = [
        replace(preheader, body=(*preheader.body, *test.code), terminator=only_when_it_runs(test, load_label, new_preheader)),
        Block(load_label, (), tuple(loads), Jump(new_preheader)),
        Block(new_preheader, tuple(phis), (), preheader.terminator),
    ]
    return insert(function, label, chain)


def insert(function: Function, label: str, chain: Sequence[Block]) -> Function:
    """The function with one block replaced by several, the last of which leads where the block led."""
    last = chain[-1]
    blocks: list[Block] = []
    for block in function.blocks:
        if block.label == label:
            blocks.extend(chain)
        else:
            blocks.append(rename_predecessor(block, label, last.label) if block.label in last.successors else block)
    return replace(function, blocks=tuple(blocks))
