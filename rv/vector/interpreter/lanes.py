"""What instructions do in one lane, as Python functions made from the texts of `rv.semantics.expressions`.

A vector instruction becomes the scalar instruction of P-LLVM that each of its lanes executes; so both have one meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, cast

from rv.ir import instructions as ir
from rv.ir.types import PTR, Type
from rv.ir.values import Var
from rv.semantics.expressions import statement_lines
from rv.vector.instructions import Binary, Compare, Convert, Negate, Select, is_floating
from rv.vector.types import element_of

Lane = Callable[..., Any]
Pure = Binary | Negate | Compare | Select | Convert
Scalar = ir.Load | ir.Store | ir.Binary | ir.Negate | ir.CompareInt | ir.CompareFloat | ir.Select | ir.Convert


def scalar_of(instruction: Pure) -> Scalar:
    """The P-LLVM instruction of one lane, on variables called a, b and c."""
    result = Var("r", element_of(instruction.type))
    match instruction:
        case Binary(op=op, left=left, right=right):
            return ir.Binary(result, op, _variable("a", left.type), _variable("b", right.type))
        case Negate(value=value):
            return ir.Negate(result, _variable("a", value.type))
        case Compare(predicate=predicate, left=left, right=right):
            operands = _variable("a", left.type), _variable("b", right.type)
            if is_floating(left.type):
                return ir.CompareFloat(result, cast(ir.FloatPredicate, predicate), *operands)
            return ir.CompareInt(result, cast(ir.IntPredicate, predicate), *operands)
        case Select(condition=condition, then=then, otherwise=otherwise):
            test, first, second = (_variable(n, o.type) for n, o in zip("abc", (condition, then, otherwise), strict=True))
            return ir.Select(result, test, first, second)
        case Convert(op=op, value=value):
            return ir.Convert(result, op, _variable("a", value.type))


def _variable(name: str, type_: Any) -> Var:
    return Var(name, element_of(type_))


@cache
def code_of(instruction: Scalar) -> Any:
    """The compiled definition of a function `lane` of a, b, c that executes the instruction and gives its result r."""
    lines = statement_lines(instruction, lambda variable: variable.name)
    body = "".join(f"    {line}\n" for line in lines)
    given = "    return r\n" if instruction.result is not None else ""
    return compile(f"def lane(a=None, b=None, c=None):\n{body}{given}", "<lane>", "exec")


def load_of(type_: Type) -> ir.Load:
    """Loads from the address a."""
    return ir.Load(Var("r", type_), Var("a", PTR))


def store_of(type_: Type) -> ir.Store:
    """Stores b to the address a."""
    return ir.Store(Var("b", type_), Var("a", PTR))
