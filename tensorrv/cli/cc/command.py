"""The contents of a command line of gcc or clang: sources, output, last stage, and options that exclude outlining."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

Stage = Literal["object", "assembly", "link"]

_SEPARATE: Final = frozenset(
    "-o -x -I -D -U -L -l -T -u -z -A -B -e -h -G -F -include -imacros -isystem -idirafter -iprefix -iwithprefix "
    "-iwithprefixbefore -iquote -isysroot "
    "-imultilib -MF -MT -MQ -MJ -Xlinker -Xassembler -Xpreprocessor -Xclang -aux-info -dumpbase -dumpbase-ext "
    "-dumpdir -arch -target --param -wrapper -mllvm --sysroot -specs -framework -rpath".split()
)
"""Options whose value may be the next word."""

_DEPENDENCIES: Final = re.compile(r"-M[DGP]?\Z|-MMD\Z|-MM\Z|-Wp,-M|-M[FTQ]")

_ELSEWHERE: Final = re.compile(
    r"-(?:E|M|MM|###|fsyntax-only|emit-llvm|emit-ast|save-temps.*|time|dump.*|print-.*|help|v|wrapper)\Z|"
    r"--(?:help|version|target-help|analyze|coverage|print-.*)|"
    r"-fl?to(?:=(?!none).*)?\Z|-flto.*|-fsanitize.*|-fprofile.*|-fbranch-probabilities|-fauto-profile.*|--coverage|-pg\Z|-p\Z|"
    r"-finstrument-functions.*|-fpatchable-function-entry.*|-gsplit-dwarf.*|-g3\Z|-ggdb3\Z|-fdump.*|-fplugin.*|-fpch.*|-fmodules.*|"
    r"-m32\Z|-mx32\Z|-m16\Z|-mcmodel=(?!small).*|-mno-red-zone|-mgeneral-regs-only|-mabi=ms|-mno-sse.*|-msoft-float|-mfentry.*|"
    r"-mindirect-branch.*|-mfunction-return.*|-mharden-sls.*|-mretpoline.*|-mcall-ms2sysv-xlogues|-mtls-dialect.*|"
    r"-fwrapv.*|-ftrapv|-fno-strict-overflow|-funsigned-char|-fshort-enums|-fpack-struct.*|-fshort-double|-fexcess-precision=standard|"
    r"-frounding-math|-fnon-call-exceptions|-ffreestanding|-fno-builtin.*|-fno-delete-null-pointer-checks|-fsplit-stack|"
    r"-fleading-underscore|-fcf-protection=(?!none).*|-fharden.*|-fopenacc.*|-foffload.*|-fgnu-tm|-fcilkplus|-freg-struct-return|"
    r"-fpcc-struct-return|-ffixed-.*|-fcall-.*|-fdirectives-only|-fpreprocessed|-traditional.*|-fdelayed-branch|"
    r"-fno-asm|-fno-tree-vectorize|-fno-vectorize|-fno-tree-loop-vectorize|-fno-tree-loop-distribute-patterns|-nostdinc\+\+|-arch|-fms-extensions|-fblocks"
)
"""Options under which the user's compiler is left alone: it writes something else than code, or C or its ABI mean something else,
or every instruction is to be instrumented."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command that compiles C files. `sources` are positions in `words`; `output` is the argument of -o.

    `apart`: why the compiler is left alone; empty when it is not.
    """

    words: tuple[str, ...]
    sources: tuple[int, ...]
    stage: Stage
    output: str | None
    apart: str = ""

    def source(self, position: int) -> Path:
        return Path(self.words[position])

    def outputs(self) -> tuple[Path, ...]:
        """What is written: one file for each source, or the program."""
        if self.stage == "link":
            return (Path(self.output or "a.out"),)
        if self.output is not None:
            return (Path(self.output),)
        suffix = ".o" if self.stage == "object" else ".s"
        return tuple(Path(self.source(position).stem + suffix) for position in self.sources)

    def compiling(self) -> list[str]:
        """The options for compiling a source, without files and stages."""
        return [word for position, word in self._kept() if position not in self.sources and not _is_for_linking(word)]

    def linking(self, replaced: dict[int, str]) -> list[str]:
        """The command with other files in the place of some of its sources, without dependency files and output."""
        return [replaced.get(position, word) for position, word in self._kept()]

    def _kept(self) -> Iterator[tuple[int, str]]:
        skipping = False
        for position, word in enumerate(self.words):
            if skipping:
                skipping = False
            elif word in ("-o", "-MF", "-MT", "-MQ", "-MJ"):
                skipping = True
            elif not (_DEPENDENCIES.match(word) or word in ("-c", "-S") or (word.startswith("-o") and word[2:])):
                yield position, word


def _is_for_linking(word: str) -> bool:
    return not word.startswith("-") and word.endswith((".o", ".a", ".so", ".lo"))


def read_command(arguments: Sequence[str]) -> Command:
    """The words of a command line, with response files read."""
    words = tuple(_expanded(arguments, 0))
    sources: list[int] = []
    output: str | None = None
    stage: Stage = "link"
    apart = ""
    position = 0
    while position < len(words):
        word = words[position]
        if word in _SEPARATE:
            value = words[position + 1] if position + 1 < len(words) else ""
            if word == "-o":
                output = value
            if word == "-x" and value not in ("c", "none"):
                apart = apart or f"-x {value}"
            position += 2
            continue
        if word.startswith("-o") and len(word) > 2:
            output = word[2:]
        elif word == "-c":
            stage = "object" if stage == "link" else stage
        elif word == "-S":
            stage = "assembly"
        elif word == "-" or word.startswith("@"):
            apart = apart or f"'{word}'"
        elif word.startswith("-"):
            if _ELSEWHERE.match(word):
                apart = apart or word
        elif word.endswith(".c"):
            sources.append(position)
        position += 1
    if not apart and not sources:
        apart = "no C file"
    return Command(words, tuple(sources), stage, output, apart)


def _expanded(arguments: Sequence[str], depth: int) -> Iterator[str]:
    """The words of a command line, with those in response files in their place."""
    for word in arguments:
        if word.startswith("@") and len(word) > 1 and depth < 8:
            try:
                inside = shlex.split(Path(word[1:]).read_text(encoding="utf-8", errors="surrogateescape"))
            except (OSError, ValueError):
                yield word
                continue
            yield from _expanded(inside, depth + 1)
        else:
            yield word
