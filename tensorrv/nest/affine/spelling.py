"""Numbers of the program as C would write them, for messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rv.analysis.values.uses import Definition, definitions
from rv.ir.instructions import Binary, CompareInt, Convert, ElementPointer, Load, Select
from rv.ir.values import Const, Value, Var
from tensorrv.nest.model import Nests

_OPERATORS: Final[Mapping[str, str]] = {
    "add": "+", "sub": "-", "mul": "*", "sdiv": "/", "udiv": "/", "srem": "%", "urem": "%", "and": "&", "or": "|", "xor": "^",
    "shl": "<<", "ashr": ">>", "lshr": ">>",
    "eq": "==", "ne": "!=", "slt": "<", "ult": "<", "sle": "<=", "ule": "<=", "sgt": ">", "ugt": ">", "sge": ">=", "uge": ">=",
}  # fmt: skip
_DEEPEST: Final = 4


def spelled(nests: Nests, name: str) -> str:
    """The expression that computes an SSA variable, over the source's variables: "(t + 1) % m"."""
    known = definitions(nests.function)
    definition = known.get(name)
    text = name.partition(".")[0] if definition is None or definition.result is None else _text(definition.result, known, 0)
    return _bare(text)


def _closes_at_end(text: str) -> bool:
    """Whether the first parenthesis goes with the last character."""
    depth = 0
    for position, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return position == len(text) - 1
    return False


def _text(value: Value, known: Mapping[str, Definition], depth: int) -> str:
    if isinstance(value, Const):
        return str(value.signed)
    if not isinstance(value, Var):
        return "?"
    if depth > _DEEPEST:
        return "..."
    match known.get(value.name):
        case Binary(op=op, left=left, right=right) if op in _OPERATORS:
            return f"({_text(left, known, depth + 1)} {_OPERATORS[op]} {_text(right, known, depth + 1)})"
        case CompareInt(predicate=op, left=left, right=right):
            return f"({_text(left, known, depth + 1)} {_OPERATORS[op]} {_text(right, known, depth + 1)})"
        case Convert(op="sext" | "zext" | "trunc", value=inner):
            return _text(inner, known, depth)
        case Select(condition=condition, then=then, otherwise=otherwise):
            chosen = " : ".join(_text(side, known, depth + 1) for side in (then, otherwise))
            return f"({_text(condition, known, depth + 1)} ? {chosen})"
        case Load(pointer=pointer):
            return _text(pointer, known, depth)
        case ElementPointer(base=base, indices=indices):
            return _text(base, known, depth) + "".join(f"[{_bare(_text(i, known, depth + 1))}]" for i in indices)
        case _:
            return value.source_name


def _bare(text: str) -> str:
    return text[1:-1] if text.startswith("(") and _closes_at_end(text) else text
