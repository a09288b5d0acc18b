"""Pragmas as text: which directive it is, and its clauses with their places (OpenMP 5.2, section 3).

    omp parallel for simd simdlen(8) reduction(+:s, t)
        -> directive ("parallel", "for", "simd"), clauses simdlen ["8"], reduction "+" ["s", "t"]

What clauses mean is for `loop_clauses`, `regions` and `declare_simd`, and for outlining. Pragmas of others than OpenMP are
ignored, but for those about the loop that follows: `ivdep`, `novector`, `unroll`, `clang loop`.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Any, Final

from tensorrv.frontend.c.pragmas.directives import (
    LOOPS,
    MAY_LACK_ARGUMENTS,
    OF_DECLARE_SIMD,
    WITHOUT_ARGUMENTS,
    clauses_of,
    directive_words,
    follows,
)

_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_WITH_MODIFIERS: Final = frozenset(
    "reduction in_reduction task_reduction lastprivate if order schedule allocate default grainsize num_tasks".split()
)
_WITH_TAIL: Final = frozenset({"linear", "aligned"})


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
    """`name(modifier, ...: item, ...)`; `tail` is what follows the list after a second colon, as in `linear(i, j: 2)`."""

    name: str
    whole: Piece
    modifiers: tuple[str, ...]
    items: tuple[Piece, ...]
    tail: Piece | None

    @property
    def names(self) -> tuple[str, ...]:
        """The variables in the list, without the sections of arrays."""
        return tuple(item.text.partition("[")[0].rpartition(":")[2].strip() for item in self.items)

    @property
    def modifier(self) -> str:
        """The last modifier, which is the operator of a reduction."""
        return self.modifiers[-1] if self.modifiers else ""


@dataclass(frozen=True, slots=True)
class Directive:
    """The words that name it, after `omp` if it is one of OpenMP's, and the clauses in order; no words when OpenMP has no such
    directive. Those of compilers, as "GCC ivdep", are directives of their own. `arguments` stands behind the name in
    parentheses, as in `critical(name)`.
    """

    words: tuple[str, ...]
    clauses: tuple[Clause, ...] = ()
    arguments: str = ""
    openmp: bool = False

    @property
    def name(self) -> str:
        return " ".join(self.words)

    @property
    def stands_alone(self) -> bool:
        """Whether no statement belongs to it."""
        depends = any(clause.name in ("depend", "doacross") for clause in self.clauses)
        return follows(self.words) == "nothing" or (self.words == ("ordered",) and depends)

    @property
    def of_any_kind(self) -> bool:
        """Whether nothing is known about what it makes of the statement that follows."""
        return self.name in ("", "metadirective", "begin metadirective")

    def all(self, name: str) -> tuple[Clause, ...]:
        return tuple(clause for clause in self.clauses if clause.name == name)


class Malformed(Exception):
    """The pragma's text is wrong at `place`."""

    def __init__(self, message: str, place: Piece, label: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.place, self.label, self.hint = message, place, label, hint


def pragma_text(node: Any) -> str:
    """What stands behind `#pragma`, or in the string of `_Pragma`."""
    return node.string if isinstance(node.string, str) else str(node.string.value)[1:-1]


def parse_pragma(text: str, *, checked: bool = True) -> Directive | None:
    """The directive in `#pragma text`; None for one that is not ours. Raises Malformed, for unknown clauses if `checked`."""
    words = text.replace("(", " (").split()
    match words:
        case ["ivdep", *_] | ["GCC", "ivdep"] | ["novector"] | ["GCC", "unroll", *_] | ["unroll" | "nounroll", *_]:
            return Directive(tuple(words[:2]) if words[0] == "GCC" else (words[0],))
        case ["clang", "loop", *_]:
            return Directive(("clang", "loop"), _clauses(text, text.index("loop") + len("loop"), None))
        case ["omp", *_]:
            return _openmp(text, checked=checked)
        case _:
            return None


def _openmp(text: str, *, checked: bool) -> Directive:
    """A directive of OpenMP. Clauses are checked where a loop follows them, and at `declare simd`."""
    found, end = list[Piece](), len("omp")
    while (name := _NAME.match(text, _skip(text, end, " \t"))) is not None:
        found.append(Piece(name[0], name.start()))
        end = name.end()
    words = directive_words([word.text for word in found])
    if not words:
        return Directive((), openmp=True)
    end = found[len(words) - 1].start + found[len(words) - 1].length
    if words == ("declare", "simd"):
        return Directive(words, _clauses(text, end, OF_DECLARE_SIMD if checked else None), openmp=True)
    if LOOPS.intersection(words):
        return Directive(words, _clauses(text, end, clauses_of(words) if checked else None), openmp=True)
    arguments, opening = "", _skip(text, end, " \t")
    if text[opening : opening + 1] == "(":
        end = _closing(text, opening, found[len(words) - 1])
        arguments = text[opening + 1 : end - 1].strip()
    return Directive(words, _clauses(text, end, None), arguments, openmp=True)


def _clauses(text: str, start: int, known: frozenset[str] | None) -> tuple[Clause, ...]:
    """The clauses from `start` on; they are checked if it is known which there are."""
    found: list[Clause] = []
    while (start := _skip(text, start, " \t,")) < len(text):
        name = _NAME.match(text, start)
        if name is None:
            raise Malformed("expected a clause", Piece(text[start], start), "not a clause")
        piece = Piece(name[0], start)
        following = _skip(text, name.end(), " \t")
        has_arguments = text[following : following + 1] == "("
        if known is not None:
            _check_clause(piece, has_arguments, known)
        end = _closing(text, following, piece) if has_arguments else name.end()
        found.append(_clause(name[0], Piece(text[start:end], start), following - start))
        start = end
    return tuple(found)


def _check_clause(piece: Piece, has_arguments: bool, known: frozenset[str]) -> None:
    name = piece.text
    if name not in known:
        close = difflib.get_close_matches(name, sorted(known), n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"the clauses here are {', '.join(sorted(known))}"
        raise Malformed(f"unknown clause '{name}'", piece, "not a clause of this directive", hint)
    if has_arguments == (name in WITHOUT_ARGUMENTS) and name not in MAY_LACK_ARGUMENTS:
        problem = "takes no arguments" if has_arguments else "needs arguments in parentheses"
        raise Malformed(f"'{name}' {problem}", piece, "here")


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
    """A clause taken apart: `name(modifiers: items: tail)`, as far as the clause has such parts."""
    if not whole.text.endswith(")"):
        return Clause(name, whole, (), (), None)
    inside = Piece(whole.text[opening + 1 : -1], whole.start + opening + 1)
    parts = _split(inside, ":")
    modifiers, tail = list[str](), None
    if name in _WITH_MODIFIERS and len(parts) > 1:
        modifiers, parts = [word.text.strip() for word in _split(parts[-2], ",")], parts[-1:]
    elif name in _WITH_TAIL and len(parts) > 1:
        tail, parts = _stripped(parts[1]), parts[:1]
    items = [_stripped(part) for part in (parts if name == "if" else _split(parts[0], ","))]
    if name == "linear" and (wrapped := re.fullmatch(r"(val|ref|uval)\s*\((.*)\)", parts[0].text.strip())):
        modifiers = [wrapped[1]]
        begin = parts[0].start + parts[0].text.index("(") + 1
        items = [_stripped(part) for part in _split(Piece(wrapped[2], begin), ",")]
    if name == "linear" and tail is not None:
        tail, found = _step(tail)
        modifiers += found
    if any(not item.text for item in items):
        raise Malformed(f"an argument of '{name}' is missing", whole, "an empty argument")
    return Clause(name, whole, tuple(modifiers), tuple(items), tail)


def _step(tail: Piece) -> tuple[Piece | None, list[str]]:
    """The step and the other modifiers of a `linear` clause: `2`, `val`, `step(2), val`."""
    step, modifiers = None, list[str]()
    for part in map(_stripped, _split(tail, ",")):
        if part.text in ("val", "ref", "uval"):
            modifiers.append(part.text)
        elif (wrapped := re.fullmatch(r"step\s*\((.*)\)", part.text)) is not None:
            step = _stripped(Piece(wrapped[1], part.start + part.text.index("(") + 1))
        else:
            step = part
    return step, modifiers


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
