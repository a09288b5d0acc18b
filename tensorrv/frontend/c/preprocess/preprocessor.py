"""Preprocessing: C text to one text without directives in which every character has its source position.

pcpp does the work. It moves tokens of a macro's body to the line of the use but loses the column, so the line number that
it copies around is a `_Place`, an integer with file and column. The result is text again (pcpp splits
numbers differently from the C lexer that reads it next) with one `Piece` per token.
"""

from __future__ import annotations

import bisect
import copy
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pcpp
from pcpp import Preprocessor

from rv.ir.source import Span
from tensorrv.frontend.c.failures import Unsupported, refuse, refuse_depth
from tensorrv.frontend.c.foreign_errors import raised_in
from tensorrv.frontend.c.preprocess.conditions import condition_value
from tensorrv.frontend.c.preprocess.line_markers import marked_lines, system_headers
from tensorrv.frontend.shipped import INCLUDE
from tensorrv.report.diagnostics import Refused, Related

HEADERS: Final = Path(__file__).parent / "headers"
"""Our own standard headers; the real ones are written for real compilers, and only the types matter here."""

DEEPEST_INCLUDE: Final = 60

PREDEFINED: Final = (
    "__TENSORRV__ 1",
    "__STDC__ 1",
    "__STDC_VERSION__ 201112L",
    "__STDC_HOSTED__ 1",
    "__LP64__ 1",
    "__CHAR_BIT__ 8",
    "__SCHAR_MAX__ 0x7f",
    "__SHRT_MAX__ 0x7fff",
    "__INT_MAX__ 0x7fffffff",
    "__LONG_MAX__ 0x7fffffffffffffffL",
    "__LONG_LONG_MAX__ 0x7fffffffffffffffLL",
    "__SIZEOF_SHORT__ 2",
    "__SIZEOF_INT__ 4",
    "__SIZEOF_LONG__ 8",
    "__SIZEOF_LONG_LONG__ 8",
    "__SIZEOF_POINTER__ 8",
    "__SIZEOF_SIZE_T__ 8",
    "__SIZEOF_PTRDIFF_T__ 8",
    "__SIZEOF_FLOAT__ 4",
    "__SIZEOF_DOUBLE__ 8",
    # names that are not defined are equal in conditions: a comparison of them must not take the wrong byte order
    "__ORDER_LITTLE_ENDIAN__ 1234",
    "__ORDER_BIG_ENDIAN__ 4321",
    "__ORDER_PDP_ENDIAN__ 3412",
    "__BYTE_ORDER__ __ORDER_LITTLE_ENDIAN__",
    "__FLOAT_WORD_ORDER__ __ORDER_LITTLE_ENDIAN__",
)


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters of the preprocessed text from `start` on: `span` is where the user wrote them, or used the macro `macro`."""

    start: int
    span: Span
    macro: str | None


@dataclass(frozen=True, slots=True)
class Preprocessed:
    """The text after preprocessing, its pieces by ascending start, and the text of every file that was read."""

    text: str
    pieces: tuple[Piece, ...]
    sources: Mapping[str, str]
    macros: Mapping[str, Span]
    """Where each macro is defined."""
    system: frozenset[str] = frozenset()
    """System headers: constructs outside the subset in them are not reported."""
    by_compiler: bool = False
    """Whether the user's compiler did it, so that nothing of the preprocessor is left undone."""

    def piece_at(self, offset: int) -> Piece | None:
        """The piece that the character at `offset` belongs to."""
        index = bisect.bisect_right(self.pieces, offset, key=lambda piece: piece.start) - 1
        return self.pieces[index] if index >= 0 else None


def preprocess(
    name: str,
    text: str,
    defines: Sequence[tuple[str, str]],
    include_dirs: Sequence[Path],
    directory: Path,
    sources: dict[str, str],
) -> Preprocessed:
    """Run the preprocessor over `text`, called `name` in messages; quoted includes are searched in `directory` first.

    The text of every file that is read goes to `sources`, also when the run fails.
    Raises Refused for malformed directives, missing headers and `#error`.
    """
    runner = _Runner(name, include_dirs, directory, sources)
    for definition in PREDEFINED:
        runner.define(definition)
    for macro, value in defines:
        if not macro.isidentifier():
            refuse("TRV002", f"'{macro}' cannot be defined as a macro", None, hint="-D takes NAME or NAME=VALUE")
        runner.define(f"{macro} {value}")
    try:
        runner.parse(text, name)
        return runner.collect()
    except RecursionError:
        refuse_depth(runner.last_span())
    except Exception as error:
        if not raised_in(pcpp, error):
            raise
        refuse("TRV002", "malformed preprocessor directive", runner.last_span(), "this directive is incomplete or malformed")


class _Place(int):
    """A line number with its file and column."""

    file: str
    column: int
    length: int

    def __new__(cls, line: int, file: str, column: int, length: int) -> _Place:
        place = super().__new__(cls, line)
        place.file, place.column, place.length = file, column, length
        return place

    @property
    def span(self) -> Span:
        return Span(self.file, int(self), self.column, self.length)


class _Runner(Preprocessor):  # type: ignore[misc]
    """pcpp with places instead of line numbers, and errors raised instead of printed."""

    def __init__(self, name: str, include_dirs: Sequence[Path], directory: Path, sources: dict[str, str]) -> None:
        self.sources = sources
        sources[name] = ""
        self.system: set[str] = set()
        super().__init__()
        self.main = name
        self.lastdirective = None
        for path in (*include_dirs, HEADERS, INCLUDE):
            self.path.append(str(path))
        self.temp_path.append(str(directory))

    def parse(self, input: str, source: str) -> None:
        self.ignore: frozenset[str] = frozenset()
        self.parser = self.parsegen(input, source, None)

    def group_lines(self, input: str, abssource: str | None) -> Iterator[list[Any]]:
        file = self._display(abssource)
        if input or file not in self.sources:
            self.sources[file] = input
        places = list(marked_lines([line.rstrip() for line in input.split("\n")], file))
        self.system |= system_headers(places)
        starts = [0]
        for line in places:
            starts.append(starts[-1] + len(line.text) + 1)
        lexer = self.lexer.clone()
        lexer.input("\n".join(line.text for line in places) + "\n")
        current: list[Any] = []
        while token := lexer.token():
            line_index = bisect.bisect_right(starts, token.lexpos) - 1
            line = places[min(line_index, len(places) - 1)]
            place = _Place(line.number, line.file, token.lexpos - starts[line_index] + 1, len(token.value))
            token.source = abssource
            token.lineno = token.spelled = place
            token.spelling = token.value
            token.in_directive = False
            current.append(token)
            if token.value == "\n":
                yield self._marked(current)
                current = []
        if current:
            yield self._marked(current)

    def tokenize(self, text: str) -> list[Any]:
        """Tokens of a definition that stands in no file: their position is that of a use."""
        tokens: list[Any] = super().tokenize(text)
        for token in tokens:
            token.spelled = _Place(1, "", 1, len(token.value))
            token.spelling = token.value
            token.in_directive = True
        return tokens

    def _marked(self, line: list[Any]) -> list[Any]:
        first = next((token for token in line if not token.value.isspace()), None)
        if first is not None and first.value == "#":
            for token in line:
                token.in_directive = True
        return line

    def _display(self, source: str | None) -> str:
        if source is None or source == self.main:
            return self.main
        path = Path(source).absolute()
        for own in (HEADERS, INCLUDE):
            if own in path.parents:
                return f"<{path.relative_to(own)}>"
        return source

    def collect(self) -> Preprocessed:
        """Run to the end of the input and put the text together."""
        out = io.StringIO()
        pieces: list[Piece] = []
        previous: Any = None
        position = 0
        while (token := self.token()) is not None:
            if token.value.isspace() or not token.value or token.type in self.t_COMMENT:
                separator = "\n" if "\n" in token.value else " "
                position += out.write(separator)
                previous = None
                continue
            if previous is not None and not _adjacent(previous, token):
                position += out.write(" ")
            macro = (getattr(token, "expanded_from", None) or [None])[-1]
            place = token.lineno if token.in_directive and macro else token.spelled
            pieces.append(Piece(position, place.span, macro))
            position += out.write(token.value)
            previous = token
        macros = {
            name: macro.lineno.span for name, macro in self.macros.items() if isinstance(getattr(macro, "lineno", None), _Place)
        }
        return Preprocessed(out.getvalue(), tuple(pieces), self.sources, macros, frozenset(self.system))

    def last_span(self) -> Span | None:
        directive = self.lastdirective
        return directive.spelled.span if directive is not None and hasattr(directive, "spelled") else None

    def _expand_numbers(self, tokens: list[Any]) -> None:
        """Replaces macros without parameters in an OpenMP pragma, whose clauses may contain them."""
        for token in tokens:
            if token.value in self.macros and self.macros[token.value].arglist is None:
                expanded = self.expand_macros([copy.copy(token)])
                token.value = "".join(part.value for part in expanded)

    # hooks of pcpp

    def evalexpr(self, tokens: list[Any]) -> tuple[int, None]:
        """The value of a condition; pcpp's own evaluator computes as Python does."""
        span = next((token.lineno.span for token in tokens if isinstance(token.lineno, _Place)), self.last_span())
        expanded = self._with_defined(self.expand_macros(self._with_defined(tokens)))
        text = ""
        for before, token in zip([None, *expanded], expanded, strict=False):
            text += ("" if before is not None and _adjacent(before, token) else " ") + token.value
        try:
            return condition_value(text), None
        except (ValueError, Refused, Unsupported):
            refuse("TRV002", "this condition is not a constant expression", span, "cannot be evaluated")

    def _with_defined(self, tokens: list[Any]) -> list[Any]:
        """The tokens with `defined NAME` and `defined(NAME)` replaced by numbers, without blanks and comments."""
        rest = [token for token in tokens if token.value.strip() and token.type not in self.t_COMMENT]
        found: list[Any] = []
        while rest:
            token = rest.pop(0)
            if token.value == "defined" and rest:
                name = rest[1] if rest[0].value == "(" and len(rest) > 2 and rest[2].value == ")" else rest[0]
                if name.type == self.t_ID:
                    del rest[: rest.index(name) + 1 + (rest[0] is not name)]
                    token = copy.copy(token)
                    token.type, token.value = self.t_INTEGER, str(int(name.value in self.macros))
            found.append(token)
        return found

    def on_error(self, file: str, line: int, msg: str) -> None:
        span = line.span if isinstance(line, _Place) else self.last_span()
        refuse("TRV002", f"preprocessor: {msg[:1].lower()}{msg[1:].strip()}", span, "here")

    def on_include_not_found(self, is_malformed: bool, is_system_include: bool, curdir: str, includepath: str) -> str:
        if is_malformed:
            refuse("TRV002", "malformed #include", self.last_span(), 'expected "file" or <file>')
        refuse(
            "TRV003",
            f"header '{includepath}' not found",
            self.last_span(),
            "included here",
            hint="give its directory with -I DIR"
            if not is_system_include
            else "give its directory with -I DIR, or read headers as your compiler does with --cpp gcc",
        )

    def on_file_open(self, is_system_include: bool, includepath: str) -> io.StringIO:
        if self.include_depth > DEEPEST_INCLUDE:
            refuse(
                "TRV002",
                f"files include each other more than {DEEPEST_INCLUDE} deep",
                self.last_span(),
                "included here",
                hint="include guards are missing: #pragma once",
            )
        if os.path.isdir(includepath):
            raise OSError(includepath)
        with open(includepath, encoding="utf-8", errors="replace") as file:
            return io.StringIO(file.read().removeprefix("\ufeff").replace("\r\n", "\n"))

    def on_directive_unknown(self, directive: Any, toks: list[Any], ifpassthru: bool, precedingtoks: list[Any]) -> bool | None:
        self.lastdirective = directive
        text = "".join(token.value for token in toks)
        match directive.value:
            case "pragma":
                if [token.value for token in toks if not token.value.isspace()][:1] == ["omp"]:
                    self._expand_numbers(toks)
                return None
            case "error":
                refuse("TRV002", f"#error {text}", directive.spelled.span, "reported here")
            case "warning" | "line" | "ident":
                return True
            case other:
                refuse("TRV002", f"unknown preprocessor directive #{other}", directive.spelled.span, "not a directive")


def _adjacent(left: Any, right: Any) -> bool:
    """Whether the user wrote these two tokens without anything between them, or pasted them together."""
    a, b = left.spelled, right.spelled
    if a.file != b.file or int(a) != int(b):
        return False
    if a.column == b.column and right.value != right.spelling:  # pcpp makes two tokens of 5 ## f
        return True
    return bool(left.value == left.spelling and a.column + a.length == b.column)


def macro_note(pre: Preprocessed, macro: str | None) -> tuple[Related, ...]:
    """What to add to a finding whose place comes out of a macro."""
    if macro is None or macro not in pre.macros:
        return ()
    return (Related(pre.macros[macro], f"in the expansion of macro '{macro}'"),)
