"""A printed module in parts: named types, variables, functions with blocks and statements, metadata."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tensorrv.frontend.llvm_ir.tokens import Cursor, tokens_of
from tensorrv.frontend.llvm_ir.types import LlvmType, OtherType

_LABEL: Final = re.compile(r'(?:"([^"]*)"|([-\w.$]+)):')
_TYPE: Final = re.compile(r"(%\S+) = type (.*)")
_VARIABLE: Final = re.compile(r'@(?:"([^"]*)"|([-\w.$]+)) = (.*)')
_METADATA: Final = re.compile(r"(!\d+) = (.*)")
_NAME: Final = re.compile(r'@(?:"([^"]*)"|([-\w.$]+))\(')


@dataclass(frozen=True, slots=True)
class Statement:
    """An instruction on one line, however many it is printed on; `line` is its first one, from 1, with its `indent`."""

    text: str
    line: int
    indent: int


@dataclass(frozen=True, slots=True)
class RawBlock:
    """A block by its label, "" for a first block that has none; `records` are those of debug information in it."""

    label: str
    statements: tuple[Statement, ...]
    records: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RawFunction:
    """A function that is defined."""

    name: str
    head: Statement
    blocks: tuple[RawBlock, ...]

    @property
    def statements(self) -> Iterator[Statement]:
        for block in self.blocks:
            yield from block.statements


@dataclass(frozen=True, slots=True)
class RawModule:
    """Everything, as text: `variables` by name what stands behind `=`, `metadata` by `!7`."""

    types: Mapping[str, LlvmType]
    variables: Mapping[str, str]
    functions: tuple[RawFunction, ...]
    metadata: Mapping[str, str]
    layout: str


def read_parts(text: str) -> RawModule:
    """The parts of a module."""
    lines = text.split("\n")
    types: dict[str, str] = {}
    variables: dict[str, str] = {}
    metadata: dict[str, str] = {}
    functions: list[RawFunction] = []
    layout = ""
    position = 0
    while position < len(lines):
        line = lines[position]
        if line.startswith("define "):
            end = position + 1 + lines[position + 1 :].index("}")
            functions.append(_function(lines, position, end))
            position = end
        elif (named := _TYPE.fullmatch(line)) is not None:
            types[named[1][1:].strip('"')] = named[2]
        elif (variable := _VARIABLE.fullmatch(line)) is not None:
            variables[variable[1] or variable[2]] = variable[3]
        elif (node := _METADATA.fullmatch(line)) is not None:
            metadata[node[1]] = node[2]
        elif line.startswith("target datalayout"):
            layout = line.partition('"')[2].rstrip('"')
        position += 1
    return RawModule(_types(types), variables, tuple(functions), metadata, layout)


def body_lines(lines: Sequence[str], start: int, end: int) -> Iterator[tuple[int, str]]:
    """The lines with statements, labels and debug records in a body, with their numbers from 0; switches are on one line."""
    position = start
    while position < end:
        line = lines[position]
        first = position
        while line.count("[") > line.count("]") and position + 1 < end:
            position += 1
            line += " " + lines[position].strip()
        if line.strip() and not line.lstrip().startswith(";"):
            yield first, line
        position += 1


def is_label(line: str) -> bool:
    """Whether a line of a body names a block."""
    return _LABEL.match(line) is not None


def _function(lines: Sequence[str], start: int, end: int) -> RawFunction:
    blocks: list[RawBlock] = []
    label, statements, records = "", list[Statement](), list[str]()
    for number, line in body_lines(lines, start + 1, end):
        text = line.strip()
        found = _LABEL.match(line)
        if found is not None:
            if statements:
                blocks.append(RawBlock(label, tuple(statements), tuple(records)))
            label, statements, records = found[1] or found[2], [], []
        elif text.startswith("#dbg"):
            records.append(text)
        else:
            statements.append(Statement(text, number + 1, len(line) - len(line.lstrip())))
    blocks.append(RawBlock(label, tuple(statements), tuple(records)))
    name = _NAME.search(lines[start])
    assert name is not None
    return RawFunction(name[1] or name[2], Statement(lines[start], start + 1, 0), tuple(blocks))


def _types(texts: Mapping[str, str]) -> dict[str, LlvmType]:
    """The named types; structs do not contain themselves, so those inside can be made first."""
    made: dict[str, LlvmType] = {}

    def make(name: str) -> None:
        tokens = tokens_of(texts[name])
        for token in tokens:
            if token.kind == "local" and token.name in texts and token.name not in made:
                make(token.name)
        opaque = texts[name] == "opaque"
        made[name] = OtherType(f"%{name}") if opaque else Cursor(tokens, made).type()

    for name in texts:
        if name not in made:
            make(name)
    return made
