"""The conditions of #if and #elif (C11 6.10.1): integer expressions over the widest types, in which names that are left are 0.

Signed and unsigned numbers have 64 bits and wrap; divisions round toward zero; what `&&`, `||` and `?:` do not evaluate may be
anything that can be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tensorrv.frontend.c.parse.literals import character_literal, integer_literal
from tensorrv.frontend.c.types.c_types import IntegerC

_TOKEN: Final = re.compile(
    r"\s*(\.?\d(?:[eEpP][+-]|[\w.])*|'(?:\\.|[^'\\])+'|[A-Za-z_]\w*|<<|>>|[<>=!]=|&&|\|\||[-+*/%<>&|^!~?:(),])"
)
_LEVELS: Final = ("||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %")
_TRUTHS: Final[dict[str, Callable[[int, int], bool]]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
}
_NUMBERS: Final[dict[str, Callable[[int, int], int]]] = {
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}


@dataclass(frozen=True, slots=True)
class _Number:
    value: int
    unsigned: bool = False


def condition_value(text: str) -> int:
    """The value of a condition whose macros are expanded and whose `defined` are numbers. Raises ValueError for what is none."""
    tokens: list[str] = []
    position = 0
    while position < len(text.rstrip()):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError(f"no token of a condition: {text[position:]}")
        tokens.append(match[1])
        position = match.end()
    reader = _Reader(tokens)
    result = reader.comma()
    if reader.tokens:
        raise ValueError(f"left over: {reader.tokens}")
    return result.value


def _wrapped(value: int, unsigned: bool) -> _Number:
    value %= 1 << 64
    return _Number(value if unsigned or value < 1 << 63 else value - (1 << 64), unsigned)


class _Reader:
    """Recursive descent; `passed` counts the operands around that are not evaluated."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.passed = 0

    def accept(self, *texts: str) -> str | None:
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in texts else None

    def expect(self, text: str) -> None:
        if self.accept(text) is None:
            raise ValueError(f"expected {text}")

    def unless(self, passed: bool, read: Callable[[], _Number]) -> _Number:
        self.passed += passed
        result = read()
        self.passed -= passed
        return result

    def comma(self) -> _Number:
        result = self.choice()
        while self.accept(","):
            result = self.choice()
        return result

    def choice(self) -> _Number:
        condition = self.binary(0)
        if not self.accept("?"):
            return condition
        then = self.unless(condition.value == 0, self.comma)
        self.expect(":")
        otherwise = self.unless(condition.value != 0, self.choice)
        chosen = then if condition.value else otherwise
        return _wrapped(chosen.value, then.unsigned or otherwise.unsigned)

    def binary(self, level: int) -> _Number:
        if level == len(_LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while op := self.accept(*_LEVELS[level].split()):
            passed = (op == "||" and left.value != 0) or (op == "&&" and left.value == 0)
            left = self.combined(op, left, self.unless(passed, lambda: self.binary(level + 1)))
        return left

    def combined(self, op: str, left: _Number, right: _Number) -> _Number:
        if op in ("||", "&&"):
            return _Number(int(bool(left.value or right.value) if op == "||" else bool(left.value and right.value)))
        if op in ("<<", ">>"):
            return self.shifted(left, right.value if op == "<<" else -right.value)
        unsigned = left.unsigned or right.unsigned
        a, b = _wrapped(left.value, unsigned).value, _wrapped(right.value, unsigned).value
        if op in _TRUTHS:
            return _Number(int(_TRUTHS[op](a, b)))
        if op in _NUMBERS:
            return _wrapped(_NUMBERS[op](a, b), unsigned)
        if b == 0:
            if not self.passed:
                raise ValueError("division by zero")
            return _Number(0, unsigned)
        quotient = abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)
        return _wrapped(quotient if op == "/" else a - quotient * b, unsigned)

    def shifted(self, number: _Number, left: int) -> _Number:
        left = max(-64, min(left, 64))
        return _wrapped(number.value << left if left >= 0 else number.value >> -left, number.unsigned)

    def unary(self) -> _Number:
        match self.accept("+", "-", "~", "!"):
            case "+":
                return self.unary()
            case "-":
                operand = self.unary()
                return _wrapped(-operand.value, operand.unsigned)
            case "~":
                operand = self.unary()
                return _wrapped(~operand.value, operand.unsigned)
            case "!":
                return _Number(int(self.unary().value == 0))
            case _:
                return self.primary()

    def primary(self) -> _Number:
        if self.accept("("):
            result = self.comma()
            self.expect(")")
            return result
        if not self.tokens:
            raise ValueError("an operand is missing")
        token = self.tokens.pop(0)
        if token[0] == "'":
            return _Number(int(character_literal(token, None).value))
        if token[0].isdigit():
            literal = integer_literal(token, None)
            return _Number(int(literal.value), isinstance(literal.type, IntegerC) and not literal.type.signed)
        if not token.isidentifier() or token == "defined" or self.tokens[:1] == ["("]:
            raise ValueError(f"{token} is no operand")
        return _Number(0)
