"""Instruction counts of a kernel's hot loop, read from its assembly.

Two groupings. By resource, for the cost model: loads, loads that cross a line, stores, shuffles, arithmetic, divisions,
gathered elements, spills. And the thesis's three categories of section 13.4.3, for its scatter plots: `vshuff*`, `vperm*`,
`vinsert*` are shuffle operations, `vadd*`, `vmul*` floating-point ones, moves with an address memory ones, and a
shuffle with an address is both. Here every instruction of a kind counts, whatever its spelling and target.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from autotune.model.hot_loop import Loop, innermost_loops

LINE: Final = 64
"""Bytes: records of the tuner are for processors of x86-64, or of AArch64 whose lines are as long, but for Apple's."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Instructions of one iteration of the hot loop, which computes `points` iterations of the source's innermost loop.

    `bits` is the width of the widest register; `split_loads` are among `loads` and cross a cache line; `gathered` are elements.
    `chain` are the cycles that a register of one iteration waits for the same of the iteration before
    (`autotune.model.steps.with_chain`).
    """

    points: float
    bits: int
    loads: int = 0
    split_loads: int = 0
    stores: int = 0
    shuffles: int = 0
    arithmetic: int = 0
    divisions: int = 0
    gathered: int = 0
    spills: int = 0
    prefetches: int = 0
    instructions: int = 0
    blocks: int = 1
    thesis_memory: int = 0
    chain: float = 0.0

    def per_point(self, kind: str) -> float:
        """The number of instructions of this kind for one point."""
        return float(getattr(self, kind)) / self.points

    @property
    def fractions(self) -> tuple[float, float, float]:
        """Shares of shuffle, floating-point and memory operations in the vector instructions (figure 13.13)."""
        total = self.shuffles + self.arithmetic + self.thesis_memory
        return (0.0, 0.0, 0.0) if not total else (self.shuffles / total, self.arithmetic / total, self.thesis_memory / total)


@dataclass(frozen=True, slots=True)
class Work:
    """What one iteration of the source's innermost loop does: bytes it stores, and arithmetic operations."""

    stored: float
    operations: float


@dataclass(frozen=True, slots=True)
class _Instruction:
    """`width` in bits of its widest vector register, 0 when it has none; `spread`: one element is loaded for all lanes.

    `element` is the size of what a masked store writes for each lane, in bytes; 0 where the mnemonic does not show it.
    """

    kind: str
    width: int
    memory: str = ""
    stored: int = 0
    masked: bool = False
    loads: int = 0
    spread: bool = False
    element: int = 0


def count(assembly: str, work: Work, lanes: int, element_bits: int) -> Counts:
    """Counts of the hot loop."""
    return hot_loop(assembly, work, lanes, element_bits)[1]


def hot_loop(assembly: str, work: Work, lanes: int, element_bits: int) -> tuple[Loop, Counts]:
    """Where most of the time goes, and its counts.

    That is the innermost loop that does most per iteration, of those that compute anything if the kernel does.

    Points per iteration follow from what it stores, or from its arithmetic where it stores nothing, since a plan changes neither;
    where both are unknown from the `lanes` of the brush.
    """
    arm = "// =>" in assembly or "\tldr\t" in assembly
    innermost = innermost_loops(assembly) or (Loop((assembly.splitlines(),)),)
    loops = [_instructions(loop, arm) for loop in innermost]
    found = [_count(instructions, blocks, work, lanes, element_bits) for instructions, blocks in loops]
    # what only stores starts or ends what the others compute
    computing = [k for k, c in enumerate(found) if c.arithmetic or c.divisions or not work.operations] or range(len(found))
    most = max(found[k].points for k in computing)
    masked = [sum(one.masked and bool(one.stored) for one in instructions) for instructions, _ in loops]
    # heads and tails do as much under masks as the loop between them
    hot = min((k for k in computing if found[k].points >= most * 0.99), key=lambda k: (masked[k], found[k].instructions))
    return innermost[hot], found[hot]


def _instructions(loop: Loop, arm: bool) -> tuple[list[_Instruction], int]:
    """Those of the loop, and the number of its blocks."""
    decode = _arm if arm else _x86
    return [found for block in loop.blocks for line in block if (found := decode(line)) is not None], len(loop.blocks)


def _count(instructions: Sequence[_Instruction], blocks: int, work: Work, lanes: int, element_bits: int) -> Counts:
    kinds = Counter[str]()
    for one in instructions:
        kinds[one.kind] += 1
    vector_loads = [one for one in instructions for _ in range(one.loads)]
    bits = max((one.width for one in instructions), default=0)
    stored = sum(_stored(one, max(1, bits // element_bits)) for one in instructions)
    elements = sum(max(1, one.width // element_bits) for one in instructions if one.kind in ("arithmetic", "divisions"))
    return Counts(
        points=max(_points(work, stored, elements, lanes), 1 / 64),
        bits=bits,
        loads=len(vector_loads),
        split_loads=_splits(vector_loads),
        stores=sum(bool(one.stored) for one in instructions),
        shuffles=kinds["shuffles"],
        arithmetic=kinds["arithmetic"],
        divisions=kinds["divisions"],
        gathered=sum(one.width // element_bits for one in instructions if one.kind == "gathers"),
        spills=kinds["spills"],
        prefetches=kinds["prefetches"],
        instructions=len(instructions),
        blocks=blocks,
        thesis_memory=sum(one.kind in ("loads", "stores") or bool(one.loads and one.kind == "shuffles") for one in instructions),
    )


def _stored(one: _Instruction, lanes: int) -> int:
    """Bytes that it writes. Of a masked store no more than one element a lane: of narrow elements that may be half a register."""
    return min(one.stored, lanes * one.element) if one.masked and one.element else one.stored


def _points(work: Work, stored: int, elements: int, lanes: int) -> float:
    if work.stored and stored:
        return stored / work.stored
    return elements / work.operations if work.operations and elements else lanes


def _splits(loads: Sequence[_Instruction]) -> int:
    """Loads that cross a line, if those of the most frequent offset in a line start where aligned stores do."""
    loads = [one for one in loads if not one.spread]
    offsets = [_offset(one.memory) % LINE for one in loads]
    wide = [offset for offset, one in zip(offsets, loads, strict=True) if one.width >= 256]
    if not wide:
        return 0
    aligned = Counter(wide).most_common(1)[0][0]
    return sum((o - aligned) % LINE + one.width // 8 > LINE for o, one in zip(offsets, loads, strict=True) if one.width >= 128)


def _offset(memory: str) -> int:
    found = re.match(r"-?\d+", memory) or re.search(r"#(-?\d+)", memory)
    return int(found.group().lstrip("#")) if found else 0


# -- x86-64 in AT&T syntax ------------------------------------------------------------------------------------------------

_MEMORY: Final = re.compile(r"[-\w.+]*\([^)]*\)")
_REGISTER: Final = re.compile(r"%([xyz])mm\d+")
_WIDTHS: Final = {"x": 128, "y": 256, "z": 512}
_X86_SHUFFLES: Final = re.compile(
    r"v?(perm|shuf|unpck|punpck|pshuf|insert|pinsr|extract|pextr|align|palign|broadcast|pbroadcast|movddup|movhl|movlh"
    r"|pack|expand|compress|pmov[sz]x|pmovw|pmovd|pmovq|movsldup|movshdup|psrldq|pslldq)"
)
_X86_SCALAR: Final = re.compile(r"v?(mov|add|sub|mul|div|sqrt|min|max|cvt\w*|fn?m(add|sub)\d+)(ss|sd)\b")
_X86_MOVES: Final = re.compile(r"v?mov(ap|up|dq|ntp|ntdq|lp|hp|sd|ss|d\b|q\b)|v?lddqu")
_ELEMENTS: Final = (("16", 2), ("32", 4), ("64", 8), ("8", 1), ("ps", 4), ("pd", 8))
_SPLIT: Final = re.compile(r",\s*(?![^()]*\))")


def _x86(line: str) -> _Instruction | None:
    text = line.partition("#")[0].strip().removeprefix("{vex}\t")
    if not text or text.startswith(".") or text.endswith(":"):
        return None
    name, _, rest = text.partition("\t")
    operands = _SPLIT.split(rest.strip()) if rest else []
    if name.startswith("prefetch"):
        return _Instruction("prefetches", 0)
    width = max((_WIDTHS[found] for found in _REGISTER.findall(rest)), default=0)
    if _X86_SCALAR.match(name) and width:
        width = 64 if "sd" in name else 32
    memory = next((found.group() for operand in operands if (found := _MEMORY.search(operand))), "")
    if memory and name.startswith("lea"):
        return _Instruction("other", 0)
    if memory and ("%rsp" in memory or ("%rbp" in memory and "," not in memory)):
        return _Instruction("spills", width, memory)
    if not width and not memory:
        return _Instruction("other", 0)
    masked = "{%k" in rest
    stores = bool(memory) and bool(_MEMORY.search(operands[-1])) and not name.startswith(("cmp", "test", "vptest", "vucomi"))
    if stores:
        element = next((size for suffix, size in _ELEMENTS if name.endswith(suffix)), 0)
        return _Instruction("stores", width, memory, _x86_stored(name, width), masked, element=element)
    loads = 1 if memory else 0
    if "gather" in name:
        return _Instruction("gathers", width, memory, masked=masked)
    if not width:
        return _Instruction("other", 64, memory, loads=loads)
    spread = "broadcast" in name or "{1to" in rest
    return _Instruction(_x86_kind(name, memory, operands), width, memory, masked=masked, loads=loads, spread=spread)


def _x86_kind(name: str, memory: str, operands: Sequence[str]) -> str:
    if _X86_SHUFFLES.match(name):
        from_memory = memory and "broadcast" in name and len(operands) == 2
        return "loads" if from_memory else "shuffles"
    if _X86_MOVES.match(name):
        return "loads" if memory else "other"
    if name.startswith(("k", "vzero")) or (name.startswith(("vxor", "vpxor")) and len(set(operands)) == 1):
        return "other"
    return "divisions" if "div" in name or "sqrt" in name else "arithmetic"


def _x86_stored(name: str, width: int) -> int:
    """Bytes that a store writes."""
    if "extract" in name:
        return 32 if "64x4" in name or "32x8" in name else 16
    for suffix, size in (("lpd", 8), ("hpd", 8), ("lps", 8), ("hps", 8), ("sd", 8), ("ss", 4), ("vmovq", 8), ("vmovd", 4)):
        if name.endswith(suffix):
            return size
    if width:
        return width // 8
    return {"b": 1, "w": 2, "l": 4, "q": 8}.get(name[-1], 8)


# -- AArch64 --------------------------------------------------------------------------------------------------------------

_ARM_VECTOR: Final = re.compile(r"\b([qv])\d+")
_ARM_SCALAR: Final = re.compile(r"\b([dsh])\d+\b")
_ARM_SHUFFLES: Final = frozenset("zip1 zip2 uzp1 uzp2 trn1 trn2 ext tbl tbx dup ins rev64 rev32".split())


def _arm(line: str) -> _Instruction | None:
    text = line.partition("//")[0].strip()
    if not text or text.startswith(".") or text.endswith(":"):
        return None
    name, _, rest = text.partition("\t")
    if name == "prfm":
        return _Instruction("prefetches", 0)
    width = 128 if _ARM_VECTOR.search(rest) else 64 if _ARM_SCALAR.search(rest) else 0
    if "[sp" in rest:
        return _Instruction("spills", width, rest)
    memory = rest[rest.index("[") :] if "[" in rest and name.startswith(("ld", "st")) else ""
    pair = 2 if name in ("ldp", "stp", "ldnp", "stnp") else 1
    if memory and name.startswith("st"):
        size = width // 8 or (4 if rest.startswith("w") else 8)
        return _Instruction("stores", width, memory, pair * size)
    if memory:
        return _Instruction("loads" if width else "other", width or 64, memory, loads=pair)
    if not width:
        return _Instruction("other", 0)
    if name in _ARM_SHUFFLES or (name == "mov" and "[" in rest):
        return _Instruction("shuffles", width)
    if name in ("mov", "movi", "fmov"):
        return _Instruction("other", width)
    return _Instruction("divisions" if name in ("fdiv", "fsqrt") else "arithmetic", width)
