"""Control flow for lanes: from any reducible function to one whose branches all threads take together.

    scalar code --one return, loop-simplify, loop-closed--> --divergence--> --uniform loops--> --partial linearization-->

What the source means under the FREEZING interpretation, the result means under the OBLIVIOUS one (thesis, section 3.7).
"""

from __future__ import annotations

from collections.abc import Iterable

from rv.analysis.divergence import divergence
from rv.ir.function import Function
from rv.ir.values import TRUE, Value
from rv.transform.divergent_loops import uniform_loops
from rv.transform.lcssa import close_loops
from rv.transform.linearize import linearize
from rv.transform.loop_simplify import simplify_loops
from rv.transform.single_return import single_return


def canonical_control(function: Function) -> Function:
    """The function with one return and all loops in loop-simplify and loop-closed form."""
    return close_loops(simplify_loops(single_return(function)))


def control_uniform(function: Function, varying: Iterable[str], uniform: Iterable[str] = (), mask: Value = TRUE) -> Function:
    """The control-uniform form of a function for threads between which the parameters `varying` differ.

    `mask` are the threads that run the function at all (None of the others does anything but return).
    """
    function = canonical_control(function)
    facts = divergence(function, varying, uniform)
    loops = uniform_loops(function, facts.divergent_loops, facts.divergent_branches)
    return linearize(loops.function, loops.divergent, mask=mask)
