"""Two versions of a loop, of which a run-time test picks one.

    P: ... jump H                      P: ... %guard = call trv.guard.H(); branch %guard, H.enter, H.slow.enter
    H: loop, leaves to X        ->     H.enter: jump H           H.slow.enter: jump H.slow
    X: phis of H                       H: loop, leaves to X.fast   H.slow: copy of the loop, leaves to X.slow
                                       X: phis of X.fast and X.slow

The function is in loop-simplify and LCSSA form before and after. What the guard tests is up to whoever generates code for it; the
call has no definition of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, Call, Jump, Phi
from rv.ir.types import I1
from rv.ir.values import Var
from rv.transform.copies import defined_names, relabeled

GUARD: Final = "trv.guard."
"""A call of this name and a header label stands for the test before the loop with that header."""


def version_loop(function: Function, header: str, blocks: frozenset[str], preheader: str, exit_: str) -> Function:
    """`function` with the loop of these blocks in two versions; the original labels and names go to the guarded one."""
    copied = {label: f"{label}.slow" for label in blocks}
    defined = {name: f"{name}.slow" for label in blocks for name in defined_names(function.block(label))}
    result: list[Block] = []
    for block in function.blocks:
        if block.label == preheader:
            guard = Var(f"guard.{header}", I1)
            call = Call(guard, GUARD + header, ())
            result.append(
                replace(block, body=(*block.body, call), terminator=Branch(guard, f"{header}.enter", f"{header}.slow.enter"))
            )
            result.append(Block(f"{header}.enter", (), (), Jump(header)))
            result.append(Block(f"{header}.slow.enter", (), (), Jump(copied[header])))
        elif block.label in blocks:
            fast = {preheader: f"{header}.enter", exit_: f"{exit_}.fast"}
            slow = {**copied, preheader: f"{header}.slow.enter", exit_: f"{exit_}.slow"}
            result.append(relabeled(block, fast, {}))
            result.append(replace(relabeled(block, slow, defined), label=copied[block.label]))
        elif block.label == exit_:
            result += _join(block, header, copied[header], defined)
        else:
            result.append(block)
    return replace(function, blocks=tuple(result))


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
