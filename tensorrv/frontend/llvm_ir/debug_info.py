"""Debug information: where instructions are in the source, and what values are called there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rv.ir.source import Span
from tensorrv.frontend.llvm_ir.module_text import RawFunction

_ATTACHED: Final = re.compile(r"!dbg (!\d+)")
_RECORD: Final = re.compile(r'#dbg_(?:value|declare|assign)\((?:\w+ )?%("[^"]*"|[-\w.$]+), (!\d+), !DIExpression\(\)')
_FIELD: Final = re.compile(r'(\w+): ("[^"]*"|[^,)]+)')
_SCOPES: Final = 40
"""How many scopes are followed to the file of one."""


@dataclass(eq=False, slots=True)
class DebugInfo:
    """The metadata of a module, read on demand; `sources` are the texts of files that spans are in, where they can be read."""

    metadata: Mapping[str, str]
    sources: dict[str, str] = field(default_factory=dict)
    _files: dict[str, str] = field(default_factory=dict)

    def span(self, text: str) -> Span | None:
        """Where an instruction or function, with what is attached to it, is in the source."""
        attached = _ATTACHED.search(text)
        if attached is None:
            return None
        node = self._fields(attached[1])
        file, line = self._file(attached[1]), int(node.get("line", "0"))
        return Span(file, line, max(1, int(node.get("column", "1")))) if file and line else None

    def names(self, function: RawFunction) -> dict[str, str]:
        """The names in the source of local values, by their names in the IR."""
        found: dict[str, str] = {}
        for record in (record for block in function.blocks for record in block.records):
            match = _RECORD.match(record)
            if match is not None:
                found.setdefault(match[1].strip('"'), self._fields(match[2]).get("name", "").strip('"'))
        return {value: name for value, name in found.items() if name.isidentifier()}

    def _fields(self, node: str) -> dict[str, str]:
        return {name: text.strip() for name, text in _FIELD.findall(self.metadata.get(node, ""))}

    def _file(self, node: str) -> str:
        """The file that a location, scope or variable is in."""
        for _ in range(_SCOPES):
            fields = self._fields(node)
            if "file" in fields:
                return self._named(fields["file"])
            node = fields.get("scope", "")
        return ""

    def _named(self, node: str) -> str:
        if node not in self._files:
            fields = {name: text.strip('"') for name, text in self._fields(node).items()}
            path = Path(fields.get("directory", "")) / fields.get("filename", "")
            shown = str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
            self._files[node] = shown
            if path.is_file():
                self.sources[shown] = path.read_text(encoding="utf-8", errors="replace")
        return self._files[node]
