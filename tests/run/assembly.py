"""Reads assembly that LLVM prints: innermost loops, and what their instructions do to vector registers and memory.

A loop is the text from a label to a jump back to it; it is innermost when no other one lies inside.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path

from rv.target.llvm import CompiledModule
from rv.target.machine import resolve_target
from tensorrv.brush.tensorize import tensorize
from tensorrv.frontend.c.module import parse_c
from tensorrv.schedule.plan import parse_plan

LABEL = re.compile(r"^([.\w$]+):")
X86_MEMORY = re.compile(r"[-\w.+]*\([^)]*\)")
X86_VECTOR = re.compile(r"%[xyz]mm\d+")
ARM_VECTOR = re.compile(r"\b[qv]\d+\b")
X86_SHUFFLES = re.compile(r"v(p?perm|p?unpck|p?shuf|p?insert|p?extract|p?blend|p?align|movdup|movddup|movlhps|movhlps)")
ARM_SHUFFLES = re.compile(r"(zip|uzp|trn|ext|tbl|tbx|ins|rev64)\d*$")


@dataclass(frozen=True, slots=True)
class Line:
    """One instruction: mnemonic and operands, destination last on x86 and first on AArch64."""

    mnemonic: str
    operands: tuple[str, ...]
    text: str

    @property
    def on_arm(self) -> bool:
        return "%" not in self.text and "$" not in self.text

    @property
    def is_vector(self) -> bool:
        return bool(X86_VECTOR.search(self.text) or (self.on_arm and ARM_VECTOR.search(self.text)))

    @property
    def memory(self) -> int | None:
        """The position of the operand that is in memory."""
        for position, operand in enumerate(self.operands):
            if X86_MEMORY.search(operand) or operand.startswith("["):
                return position
        return None

    @property
    def loads(self) -> int:
        """Vector registers filled from memory; an operand in memory counts as one, a broadcast of one element does not."""
        if self.memory is None or not self.is_vector or "1to" in self.text or "broadcast" in self.mnemonic:
            return 0
        if self.on_arm:
            return {"ldp": 2, "ldr": 1, "ldur": 1, "ld1": 1}.get(self.mnemonic, 0)
        return int(not self.stores)

    @property
    def stores(self) -> int:
        if self.memory is None or not self.is_vector:
            return 0
        if self.on_arm:
            return {"stp": 2, "str": 1, "stur": 1, "st1": 1}.get(self.mnemonic, 0)
        return int(self.memory == len(self.operands) - 1)

    @property
    def is_shuffle(self) -> bool:
        return bool((ARM_SHUFFLES if self.on_arm else X86_SHUFFLES).match(self.mnemonic))

    @property
    def is_gather(self) -> bool:
        return "gather" in self.mnemonic or "scatter" in self.mnemonic

    @property
    def is_spill(self) -> bool:
        """A vector register that goes to the stack or comes from there."""
        return self.is_vector and self.memory is not None and ("%rsp" in self.text or "[sp" in self.text)

    @property
    def is_masked(self) -> bool:
        return "{%k" in self.text or "maskmov" in self.mnemonic


@dataclass(frozen=True, slots=True)
class Loop:
    lines: tuple[Line, ...]

    @property
    def loads(self) -> int:
        return sum(line.loads for line in self.lines)

    @property
    def stores(self) -> int:
        return sum(line.stores for line in self.lines)

    @property
    def shuffles(self) -> int:
        return sum(line.is_shuffle for line in self.lines)

    @property
    def spills(self) -> int:
        return sum(line.is_spill for line in self.lines)

    @property
    def is_masked(self) -> bool:
        return any(line.is_masked for line in self.lines)

    def count(self, mnemonic: str) -> int:
        return sum(line.mnemonic.startswith(mnemonic) for line in self.lines)

    def __str__(self) -> str:
        return "\n".join(line.text for line in self.lines)


def assembly_of(path: Path, plan: str, target: str, name: str = "") -> str:
    """The optimized assembly of a function in a C file; by default of the first one."""
    machine = resolve_target(target)
    function = (parse_c(path).function(name) if name else parse_c(path).functions[0]).function
    tensorized = tensorize(function, parse_plan(plan), machine, lambda name: contextlib.nullcontext())
    return CompiledModule(tensorized.llvm, machine).assembly


def all_lines(assembly: str) -> list[Line]:
    return [line for line in map(_read_line, assembly.splitlines()) if line is not None]


def innermost_loops(assembly: str) -> list[Loop]:
    """The loops that hold no other ones, in the order of the text."""
    rows = assembly.splitlines()
    labels = {match[1]: number for number, row in enumerate(rows) if (match := LABEL.match(row))}
    spans = []
    for number, row in enumerate(rows):
        line = _read_line(row)
        target = line.operands[-1] if line is not None and line.operands else ""
        if line is not None and _is_jump(line.mnemonic) and labels.get(target, number) < number:
            spans.append((labels[target], number))
    inner = [(a, b) for a, b in spans if not any((c, d) != (a, b) and a <= c and d <= b for c, d in spans)]
    return [Loop(tuple(all_lines("\n".join(rows[a : b + 1])))) for a, b in inner]


def _is_jump(mnemonic: str) -> bool:
    return mnemonic.startswith(("j", "b.")) or mnemonic in ("b", "cbz", "cbnz", "tbz", "tbnz")


def _read_line(row: str) -> Line | None:
    text = re.split(r"\s#\s|\s//", row)[0].strip()
    if not row.startswith("\t") or not text or text.startswith((".", "#", "//")):
        return None
    mnemonic, _, rest = text.removeprefix("{vex}\t").partition("\t")
    operands = re.findall(r"[^,(\[{]*(?:\([^)]*\)|\[[^\]]*\]|\{[^}]*\})?[^,(\[]*", rest)
    return Line(mnemonic, tuple(o.strip() for o in operands if o.strip()), text)
