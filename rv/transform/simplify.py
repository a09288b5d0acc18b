"""The clean-up that every other pass may count on having run: value numbering, known loads, dead code, fewer blocks.

    a:                                    a:
      %p = elemptr double, %A [%i]          %p = elemptr double, %A [%i]
      %x = load double, %p                  %x = load double, %p
      %q = elemptr double, %A [%i]   ->     %z = fadd double %x, %x
      %y = load double, %q                  return double %z
      %z = fadd double %x, %y
      jump b
    b:
      return double %z

The parts are repeated until nothing changes; each is described in its own file.
"""

from __future__ import annotations

from rv.analysis.memory.alias import NOWHERE, Distinct
from rv.ir.function import Function
from rv.transform.scalar.blocks import remove_unreached, simplify_blocks
from rv.transform.scalar.dead import eliminate_dead_code
from rv.transform.scalar.memory import forward_loads
from rv.transform.scalar.numbering import number_values


def simplify(function: Function, distinct: Distinct = NOWHERE) -> Function:
    """The simplified function; `distinct`: where pointer parameters point to arrays that do not overlap."""
    function = remove_unreached(function)
    while True:
        before = function
        function = number_values(function)
        function = forward_loads(function, distinct)
        function = eliminate_dead_code(function)
        function = simplify_blocks(function)
        if function == before:
            return function
