"""The interpreter of the vector IR: its executable meaning, with the numbers and the undefined values of P-LLVM's interpreters.

    memory = Memory()
    a = memory.map("A", array)
    result = run(module, "scale", [a, 100, 0.5], memory)

Every lane computes the scalar instruction as defined in `rv.semantics`, and undefined values are those of
`rv.semantics.undefined`: they spread, and it is an error when one decides a branch, is an address, or is stored anywhere but in a
stack object. `undef` and poison are both undefined here. Lanes outside of masks touch nothing.
"""

from rv.vector.interpreter.program import Program as Program
from rv.vector.interpreter.program import run as run
