"""What P-LLVM text says about the interface of a function, in front of it:

    interface @scale {
      %n: unsigned                         ; a number; signed without this
      %A: const double[%n][2 * %m + 1]     ; an array with the lengths of its dimensions
      %B: unsigned i8[]                    ; one whose outermost length is not known
      result: unsigned
      memory: typed                        ; is only read as the type that it was written as, as C says
    }

A number is `signed`, `unsigned` or `bool`; elements are so as well, with their type. Lengths are sums of products of integers and
integer parameters. What is left out is found in the code: integers are signed, arrays have one dimension.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, Never

from rv.evolution.polynomial import Polynomial, Symbol
from rv.ir.source import Span
from rv.ir.types import NAMED_TYPES, Type
from tensorrv.report.diagnostics import Diagnostic, Refused

Kind = Literal["signed", "unsigned", "bool", "typed"]
KINDS: Final[Mapping[str, Kind]] = {"signed": "signed", "unsigned": "unsigned", "bool": "bool", "typed": "typed"}
RESULT: Final = "result"
MEMORY: Final = "memory"
_BLOCK: Final = re.compile(r"^[ \t]*interface\s+@([\w.$]+)\s*\{([^}]*)\}", re.MULTILINE)
_LINE: Final = re.compile(r"(%[\w.$-]+|result|memory)\s*:\s*(.*)")
_DECLARATION: Final = re.compile(
    r"(?P<const>const\s+)?(?:(?P<kind>signed|unsigned|bool|typed)\b\s*)?(?P<type>\w+)?(?P<lengths>(?:\s*\[[^\]]*\])*)"
)
_LENGTH: Final = re.compile(r"\[([^\]]*)\]")
_FACTOR: Final = re.compile(r"\s*(?:(\d+)|%([\w.$-]+))\s*")
_TERMS: Final = re.compile(r"([+-]?)([^+-]+)")


@dataclass(frozen=True, slots=True)
class Declared:
    """One line: `lengths` is None for a number, and has texts for an array, "" where a length is not known."""

    kind: Kind
    type: Type | None
    const: bool
    lengths: tuple[str, ...] | None
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class InterfaceText:
    """What is said about one function, by parameter, RESULT included."""

    function: str
    span: Span
    lines: Mapping[str, Declared]


def take_interfaces(file: str, text: str) -> tuple[dict[str, InterfaceText], str]:
    """The interfaces in a text by function, and the text with blanks in their place. Raises Refused."""
    found: dict[str, InterfaceText] = {}
    for block in _BLOCK.finditer(text):
        name = block[1]
        span = _span(file, text, block.start() + len(block[0]) - len(block[0].lstrip()), len("interface"))
        if name in found:
            _refuse(f"the interface of @{name} is given twice", span, "given again here")
        found[name] = InterfaceText(name, span, dict(_lines(file, text, block)))
    return found, _BLOCK.sub(lambda block: re.sub(r"[^\n]", " ", block[0]), text)


def _lines(file: str, text: str, block: re.Match[str]) -> list[tuple[str, Declared]]:
    lines: list[tuple[str, Declared]] = []
    position = block.start(2)
    for line in block[2].split("\n"):
        said = line.partition(";")[0].strip()
        if said:
            lines.append(_line(said, _span(file, text, position + line.index(said), len(said))))
        position += len(line) + 1
    return lines


def _line(said: str, span: Span) -> tuple[str, Declared]:
    line = _LINE.fullmatch(said)
    declaration = _DECLARATION.fullmatch(line[2].strip()) if line is not None else None
    if line is None or declaration is None:
        _refuse("this is not a line of an interface", span, "expected '%name: ...', such as '%A: const double[%n]'")
    type_ = declaration["type"]
    if type_ is not None and type_ not in NAMED_TYPES:
        _refuse(f"there is no type '{type_}'", span, f"expected one of {', '.join(NAMED_TYPES)}")
    lengths = tuple(length.strip() for length in _LENGTH.findall(declaration["lengths"]))
    kind = KINDS[declaration["kind"] or "signed"]
    known = NAMED_TYPES[type_] if type_ is not None else None
    if (line[1] == MEMORY) != (kind == "typed"):
        _refuse("this is not a line of an interface", span, "memory, and nothing else, may be typed")
    return line[1].removeprefix("%"), Declared(kind, known, bool(declaration["const"]), lengths or None, said, span)


def length_of(declared: Declared, text: str, symbols: Mapping[str, Symbol]) -> Polynomial | None:
    """A length over the integer parameters, whose symbols are given; None when it is not known. Raises Refused."""
    if not text:
        return None
    found, rest = Polynomial.constant(0), text
    while rest:
        term = _TERMS.match(rest)
        factors = [] if term is None else [_FACTOR.fullmatch(factor) for factor in term[2].split("*")]
        if term is None or None in factors:
            _refuse(f"'{text}' is not a length", declared.span, "expected sums of products of integers and parameters")
        product = Polynomial.constant(-1 if term[1] == "-" else 1)
        for factor in factors:
            assert factor is not None
            if factor[1] is None and factor[2] not in symbols:
                _refuse(f"%{factor[2]} is not an integer parameter", declared.span, f"in the length '{text}'")
            product *= Polynomial.constant(int(factor[1])) if factor[1] is not None else Polynomial.symbol(symbols[factor[2]])
        found, rest = found + product, rest[term.end() :]
    return found


def _span(file: str, text: str, position: int, length: int) -> Span:
    return Span(file, text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position), length)


def _refuse(message: str, span: Span, label: str) -> Never:
    raise Refused(Diagnostic("error", "TRV052", message, span, label))
