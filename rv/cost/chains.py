"""How long a value of one iteration waits for one of an iteration before: the longest way between them, in cycles."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from rv.analysis.values.effects import DIVISIONS
from rv.analysis.values.uses import Definition
from rv.cost.instructions import call_latency
from rv.ir.instructions import Binary, Call, ElementPointer, Instruction, Load, Phi, operands
from rv.ir.types import FloatType
from rv.ir.values import Const, Value, Var
from rv.target.description import Machine


def latency_of(definition: Definition | Instruction, machine: Machine) -> float:
    """The cycles from an instruction's operands to its result, in scalar code."""
    match definition:
        case Phi() | ElementPointer():
            return 0
        case Load():
            return machine.memory.second.latency
        case Call():
            return call_latency()
        case Binary(op=op, right=Const()) if op in DIVISIONS:
            return machine.latency_of("add", 64)
        case Binary(op=op) if op == "fdiv" or op in DIVISIONS:
            return machine.divider(64).of[False, 64].result
        case Binary(result=result) if isinstance(result.type, FloatType):
            return machine.latency_of("add", 64)
        case _:
            return 1


def longest_way(
    known: Mapping[str, Definition], inside: Collection[str], start: Var, end: Value, latency: Callable[[Definition], float]
) -> float:
    """The cycles from one variable to a value that is computed from it by the definitions `inside`; 0 if it is not."""
    found: dict[str, float | None] = {start.name: 0.0}

    def length(value: Value) -> float | None:
        if not isinstance(value, Var):
            return None
        if value.name in found:
            return found[value.name]
        found[value.name] = None  # cycles of loops inside end here
        definition = known.get(value.name)
        if definition is None or value.name not in inside:
            return None
        longest = [one for operand in operands(definition) if (one := length(operand)) is not None]
        if longest:
            found[value.name] = max(longest) + latency(definition)
        return found[value.name]

    return length(end) or 0.0
