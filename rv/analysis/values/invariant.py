"""Whether a value is the same in all iterations of a loop, before invariant code has moved.

A value from outside is, and what is computed from such values: pure operations, and loads of what no store in the loop changes.
Phis in the loop are not followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from rv.analysis.cfg.loops import NaturalLoop
from rv.analysis.memory.alias import AliasAnalysis, alias_analysis
from rv.analysis.values.effects import is_pure, may_write
from rv.analysis.values.uses import Definition, defining_blocks, definitions
from rv.ir.function import Function
from rv.ir.instructions import Instruction, Load, Phi, Store, operands
from rv.ir.values import Value, Var


@dataclass
class Invariance:
    """The answers for one function, found on demand."""

    function: Function
    known: dict[tuple[str, str], bool] = field(default_factory=dict)

    def holds(self, value: Value, loop: NaturalLoop) -> bool:
        """Whether the value is the same in all iterations."""
        if not isinstance(value, Var):
            return True
        if value.name not in self._homes or self._homes[value.name] not in loop.blocks:
            return value.name in self._homes
        key = value.name, loop.header
        if key not in self.known:
            self.known[key] = False
            self.known[key] = self._follows(self._definitions[value.name], loop)
        return self.known[key]

    def _follows(self, definition: Definition, loop: NaturalLoop) -> bool:
        if isinstance(definition, Phi) or not all(self.holds(operand, loop) for operand in operands(definition)):
            return False
        if isinstance(definition, Load):
            return not any(self._may_change(other, definition) for _, other in self.function.instructions_in(loop.blocks))
        return is_pure(definition)

    def _may_change(self, instruction: Instruction, load: Load) -> bool:
        return not self._aliases.unchanged_by(instruction, load) if isinstance(instruction, Store) else may_write(instruction)

    @cached_property
    def _aliases(self) -> AliasAnalysis:
        return alias_analysis(self.function)

    @cached_property
    def _definitions(self) -> Mapping[str, Definition]:
        return definitions(self.function)

    @cached_property
    def _homes(self) -> Mapping[str, str]:
        return defining_blocks(self.function)
