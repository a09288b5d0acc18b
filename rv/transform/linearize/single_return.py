"""One return for a function that has several: control flow that threads leave together (thesis, section 9.1).

    a: return double %x                   a: jump return
    b: return double %y           ->      b: jump return
                                          return: %result = phi double [%x, a], [%y, b]
                                             return double %result

Returns inside loops become exits of those loops. Loops must be brought into loop-simplify form, and values closed, afterwards.
"""

from __future__ import annotations

from dataclasses import replace

from rv.ir.function import Block, Function
from rv.ir.instructions import Jump, Phi, Return
from rv.ir.rewrite import FreshNames
from rv.ir.values import Value


def single_return(function: Function) -> Function:
    """The function with at most one return."""
    returns = [(block.label, block.terminator) for block in function.blocks if isinstance(block.terminator, Return)]
    if len(returns) < 2:
        return function
    names = FreshNames.of(function)
    end = names.name("return")
    incoming = tuple((label, found.value) for label, found in returns if found.value is not None)
    phis: tuple[Phi, ...] = ()
    value: Value | None = None
    if incoming:
        value = names.variable("result", function.result)
        phis = (Phi(value, incoming),)
    blocks = tuple(
        replace(block, terminator=Jump(end, block.terminator.span)) if isinstance(block.terminator, Return) else block
        for block in function.blocks
    )
    return replace(function, blocks=(*blocks, Block(end, phis, (), Return(value, returns[-1][1].span))))
