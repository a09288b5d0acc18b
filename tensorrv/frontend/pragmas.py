"""Pragmas as text: which directive it is, and its clauses with their places (OpenMP 5.2, section 3).

    omp parallel for simd simdlen(8) reduction(+:s, t)
        -> directive ("parallel", "for", "simd"), clauses simdlen ["8"], reduction "+" ["s", "t"]

What clauses mean is for `loop_clauses` and `declare_simd`. Directives of OpenMP other than loops, `simd` and `declare simd`, and
pragmas of others, are nobody's business here.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Any, Final

_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_LOOPS: Final = (("parallel", "for", "simd"), ("parallel", "for"), ("for", "simd"), ("for",), ("simd",))
_OF_SIMD: Final = frozenset(
    "simdlen safelen collapse reduction linear aligned private lastprivate if nontemporal order".split()
)
_OF_FOR: Final = frozenset(
    "allocate collapse copyin default firstprivate if lastprivate linear nowait num_threads order ordered private proc_bind"
    " reduction schedule shared".split()
)
_OF_DECLARE_SIMD: Final = frozenset("simdlen uniform linear aligned inbranch notinbranch".split())
_WITHOUT_ARGUMENTS: Final = frozenset({"nowait", "inbranch", "notinbranch"})
_MAY_LACK_ARGUMENTS: Final = frozenset({"ordered"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the pragma's text, which starts there after `start` characters."""

    text: str
    start: int

    @property
    def length(self) -> int:
        return len(self.text)


@dataclass(frozen=True, slots=True)
class Clause:
    """`name(modifier: item, ...)`; `tail` is what follows the list after a second colon, as in `linear(i, j: 2)`."""

    name: str
    whole: Piece
    modifier: str
    items: tuple[Piece, ...]
    tail: Piece | None


@dataclass(frozen=True, slots=True)
class Directive:
    """The words after `omp`, and the clauses in order. "ivdep" and "novector" are directives of their own."""

    words: tuple[str, ...]
    clauses: tuple[Clause, ...] = ()

    def all(self, name: str) -> tuple[Clause, ...]:
        return tuple(clause for clause in self.clauses if clause.name == name)


@dataclass(frozen=True, slots=True)
class LoopPragma:
    """`texts` go to the loop's header and `inner` to those of the `collapse` - 1 loops in it; `private` variables are its own."""

    texts: tuple[str, ...]
    inner: tuple[str, ...] = ()
    collapse: int = 1
    private: tuple[str, ...] = ()
    node: Any = None


class Malformed(Exception):
    """The pragma's text is wrong at `place`."""

    def __init__(self, message: str, place: Piece, label: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.place, self.label, self.hint = message, place, label, hint


def parse_pragma(text: str) -> Directive | None:
    """The directive in `#pragma text`; None for one that is not ours. Raises Malformed."""
    words = [Piece(m[0], m.start()) for m in re.finditer(r"\S+", re.sub(r"[(,:]", " ", text))]
    names = [word.text for word in words]
    if names[:1] == ["ivdep"] or names[:2] == ["GCC", "ivdep"]:
        return Directive(("ivdep",))
    if names == ["novector"]:
        return Directive(("novector",))
    if names[:3] == ["omp", "declare", "simd"]:
        return Directive(("declare", "simd"), _clauses(text, _end(words[2]), _OF_DECLARE_SIMD))
    for directive in _LOOPS:
        if tuple(names[: 1 + len(directive)]) == ("omp", *directive):
            known = frozenset().union(*(_OF_SIMD if word == "simd" else _OF_FOR for word in directive))
            return Directive(directive, _clauses(text, _end(words[len(directive)]), known))
    return None


def _end(word: Piece) -> int:
    return word.start + word.length


def _clauses(text: str, start: int, known: frozenset[str]) -> tuple[Clause, ...]:
    found: list[Clause] = []
    while (start := _skip(text, start, " \t,")) < len(text):
        name = _NAME.match(text, start)
        if name is None:
            raise Malformed("expected a clause", Piece(text[start], start), "not a clause")
        piece = Piece(name[0], start)
        if name[0] not in known:
            close = difflib.get_close_matches(name[0], sorted(known), n=1)
            hint = f"did you mean '{close[0]}'?" if close else f"the clauses here are {', '.join(sorted(known))}"
            raise Malformed(f"unknown clause '{name[0]}'", piece, "not a clause of this directive", hint)
        following = _skip(text, name.end(), " \t")
        has_arguments = text[following : following + 1] == "("
        if has_arguments == (name[0] in _WITHOUT_ARGUMENTS) and name[0] not in _MAY_LACK_ARGUMENTS:
            problem = "takes no arguments" if has_arguments else "needs arguments in parentheses"
            raise Malformed(f"'{name[0]}' {problem}", piece, "here")
        end = _closing(text, following, piece) if has_arguments else name.end()
        found.append(_clause(name[0], Piece(text[start:end], start), following - start))
        start = end
    return tuple(found)


def _skip(text: str, start: int, over: str) -> int:
    while start < len(text) and text[start] in over:
        start += 1
    return start


def _closing(text: str, opening: int, clause: Piece) -> int:
    """Behind the parenthesis that closes the one at `opening`."""
    depth = 0
    for place in range(opening, len(text)):
        depth += (text[place] in "([") - (text[place] in ")]")
        if depth == 0:
            return place + 1
    raise Malformed(f"the parenthesis of '{clause.text}' is not closed", clause, "a ')' is missing")


def _clause(name: str, whole: Piece, opening: int) -> Clause:
    """A clause taken apart: `name(modifier: items: tail)`, as far as the clause has such parts."""
    if not whole.text.endswith(")"):
        return Clause(name, whole, "", (), None)
    inside = Piece(whole.text[opening + 1 : -1], whole.start + opening + 1)
    parts = _split(inside, ":")
    modifier, tail = "", None
    if name in ("reduction", "lastprivate", "if", "order", "schedule", "allocate") and len(parts) > 1:
        modifier, parts = _word(parts[-2]), parts[-1:]
    elif name in ("linear", "aligned") and len(parts) > 1:
        tail, parts = parts[1], parts[:1]
    items = [_stripped(part) for part in (parts if name == "if" else _split(parts[0], ","))]
    if name == "linear" and (wrapped := re.fullmatch(r"(val|ref|uval)\s*\((.*)\)", parts[0].text.strip())):
        modifier = wrapped[1]
        begin = parts[0].start + parts[0].text.index("(") + 1
        items = [_stripped(part) for part in _split(Piece(wrapped[2], begin), ",")]
    if any(not item.text for item in items):
        raise Malformed(f"an argument of '{name}' is missing", whole, "an empty argument")
    return Clause(name, whole, modifier, tuple(items), None if tail is None else _stripped(tail))


def _word(piece: Piece) -> str:
    """The last word before a colon: `inscan, +` -> `+`."""
    return piece.text.rpartition(",")[2].strip()


def _stripped(piece: Piece) -> Piece:
    text = piece.text.strip()
    return Piece(text, piece.start + len(piece.text) - len(piece.text.lstrip()))


def _split(piece: Piece, separator: str) -> list[Piece]:
    """The parts between separators that stand outside of all brackets; a colon in `?:` or `[0:n]` is no separator."""
    parts: list[Piece] = []
    depth = start = questions = 0
    for place, character in enumerate(piece.text):
        depth += (character in "([") - (character in ")]")
        questions += character == "?"
        if character == separator and depth == 0 and not (separator == ":" and questions):
            parts.append(Piece(piece.text[start:place], piece.start + start))
            start = place + 1
    return [*parts, Piece(piece.text[start:], piece.start + start)]
