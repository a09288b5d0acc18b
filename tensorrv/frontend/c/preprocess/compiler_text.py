"""Preprocessing by the user's compiler, with its own headers: `gcc -E`.

What comes out is C as that compiler reads it. Line markers give files and lines; where a line differs from that in the file,
because macros were expanded in it, its tokens are compared with the file's, and what was inserted stands at what it replaces.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

from rv.ir.source import Span
from tensorrv.frontend.c.failures import refuse
from tensorrv.frontend.c.preprocess.line_markers import Line, marked_lines, system_headers
from tensorrv.frontend.c.preprocess.preprocessor import Piece, Preprocessed
from tensorrv.frontend.shipped import INCLUDE

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[\w.]+|[^\w\s]')
_ERROR: Final = re.compile(r"(.*?):(\d+):(\d+): (?:fatal )?error: (.*)")


def compiler_text(
    command: str,
    name: str,
    text: str,
    defines: Sequence[tuple[str, str]],
    include_dirs: Sequence[Path],
    directory: Path,
    sources: dict[str, str],
) -> Preprocessed:
    """What `command -E` makes of `text`, called `name` in messages; quoted includes are searched in `directory` first.

    The text of every file that is read goes to `sources`. Raises Refused when the compiler cannot be run, or refuses the text.
    """
    sources[name] = text
    output = _run(command, f'# 1 "{_quoted(name)}"\n{text}', defines, include_dirs, directory, sources)
    return placed_text(output, name, sources)


def placed_text(output: str, name: str, sources: dict[str, str]) -> Preprocessed:
    """What a compiler's preprocessor wrote for the file `name`, every character at its offset and with its place.

    The text of every file that is named goes to `sources`.
    """
    written_lines = output.split("\n")
    lines = list(marked_lines(written_lines, name))
    system = system_headers(lines)
    pieces: list[Piece] = []
    start = 0
    written: dict[str, list[str]] = {}
    texts = [line.text.ljust(len(given)) for line, given in zip(lines, written_lines, strict=True)]
    for line, text in zip(lines, texts, strict=True):
        if line.file not in written:
            _remember(line.file, sources)
            written[line.file] = [] if line.file in system else sources.get(line.file, "").split("\n")
        if line.text.strip():
            pieces.extend(_pieces(line, start, written[line.file]))
        start += len(text) + 1
    return Preprocessed("\n".join(texts), tuple(pieces), sources, {}, system, True)


def _quoted(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')


def _run(
    command: str,
    text: str,
    defines: Sequence[tuple[str, str]],
    include_dirs: Sequence[Path],
    directory: Path,
    sources: dict[str, str],
) -> str:
    given = ["-D__TENSORRV__=1", *(f"-D{macro}={value}" for macro, value in defines), *(f"-I{path}" for path in include_dirs)]
    words = shlex.split(command)
    if "-fopenmp" not in words:  # macros in pragmas of OpenMP are expanded under this option only, which defines one more
        given += ["-fopenmp", "-U_OPENMP"]
    call = [*words, "-E", *given, "-iquote", str(directory), "-idirafter", str(INCLUDE), "-x", "c", "-"]
    try:
        done = subprocess.run(call, input=text, capture_output=True, encoding="utf-8", errors="replace", check=False)
    except OSError as error:
        message = f"cannot run '{command}' to preprocess: {error.strerror or error}"
        refuse("TRV006", message, None, hint="leave out --cpp: the headers that kernels need are built in")
    if done.returncode:
        _refuse(command, done.stderr, sources)
    return done.stdout


def _refuse(command: str, output: str, sources: dict[str, str]) -> None:
    """Refuses with the compiler's first error."""
    match = _ERROR.search(output)
    if match is None:
        first = next(iter(output.strip().split("\n")))
        refuse("TRV006", f"'{command} -E' fails: {first}", None)
    _remember(match[1], sources)
    refuse("TRV002", f"preprocessor: {match[4]}", Span(match[1], int(match[2]), int(match[3]), 1), "here")


def _remember(file: str, sources: dict[str, str]) -> None:
    """The text of a file, for messages; places in files that are not there are shown without their lines."""
    if file not in sources and not file.startswith("<"):
        try:
            sources[file] = Path(file).read_text(encoding="utf-8", errors="replace")
        except OSError:
            sources[file] = ""


def _pieces(line: Line, start: int, lines: Sequence[str]) -> Iterator[Piece]:
    """The pieces of a line that begins at `start`; `lines` are those of its file, if places inside lines matter."""
    written = lines[line.number - 1] if line.number <= len(lines) else line.text
    if written.rstrip() == line.text.rstrip():
        yield Piece(start, Span(line.file, line.number, 1, len(line.text)), None)
        return
    ours, theirs = list(_TOKEN.finditer(line.text)), list(_TOKEN.finditer(written))
    matcher = SequenceMatcher(None, [m[0] for m in ours], [m[0] for m in theirs], autojunk=False)
    for kind, first, last, low, high in matcher.get_opcodes():
        for k in range(first, last):
            if kind == "equal":
                place = theirs[low + k - first]
                macro = None
            else:  # what was inserted
                place = theirs[min(low, len(theirs) - 1)] if theirs else ours[k]
                macro = place[0] if high > low else ""
            yield Piece(start + ours[k].start(), Span(line.file, line.number, place.start() + 1, len(place[0])), macro)
