"""Registers of elements that lie a few apart, as pixels have them: loads and stores of 2 to 4 registers at once on AArch64.

    r = p[3 * i]; g = p[3 * i + 1]; b = p[3 * i + 2];          ld3 { v0.16b, v1.16b, v2.16b }, [x0]

LLVM makes such an instruction of one long load whose lanes are only taken apart, and of a store of lanes that are put together.
All elements in between must belong to some register: nothing else may be touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rv.ir.types import Type, bits_of
from rv.target.machine import Target
from rv.vector.values import Operand
from rv.widen.site import Site
from tensorrv.brush.memory.access_groups import Element
from tensorrv.brush.memory.chunks import Chunk

STRIDES: Final = (2, 3, 4)
REGISTERS: Final = (64, 128)
"""Bits."""


@dataclass(frozen=True, slots=True)
class Interleaved:
    """A run of elements in which registers alternate; their numbers, in order."""

    chunk: Chunk
    registers: tuple[int, ...]

    @property
    def stride(self) -> int:
        return len(self.registers)


def find_interleaved(target: Target, type_: Type, touched: Sequence[Sequence[Element]]) -> tuple[Interleaved, ...]:
    """The runs that registers make up, given the elements of each; no register is in two."""
    if target.architecture != "aarch64":
        return ()
    strides = {k: stride for k, own in enumerate(touched) if (stride := _stride(own, bits_of(type_))) is not None}
    number = {(touched[k][0], stride, len(touched[k])): k for k, stride in strides.items()}
    found: list[Interleaved] = []
    used: set[int] = set()
    for (start, stride, lanes), _ in sorted(number.items()):
        keys = [((*start[:-1], start[-1] + offset), stride, lanes) for offset in range(stride)]
        registers = tuple(number[key] for key in keys if key in number)
        if len(registers) == stride and used.isdisjoint(registers):
            found.append(Interleaved(Chunk(start, stride * lanes), registers))
            used.update(registers)
    return tuple(found)


def _stride(touched: Sequence[Element], bits: int) -> int | None:
    """How far the elements of neighbouring lanes are apart in one row, if instructions take them so."""
    lanes = len(touched)
    if lanes < 2 or lanes * bits not in REGISTERS:
        return None
    stride = touched[1][-1] - touched[0][-1]
    regular = all(e == (*touched[0][:-1], touched[0][-1] + stride * k) for k, e in enumerate(touched))
    return stride if regular and stride in STRIDES else None


def taken_apart(site: Site, loaded: Operand, run: Interleaved) -> list[Operand]:
    """The registers of a run that has been loaded."""
    return [site.block.shuffle(loaded, None, range(k, run.chunk.length, run.stride)) for k in range(run.stride)]


def put_together(site: Site, values: Sequence[Operand], run: Interleaved) -> Operand:
    """The run of these registers."""
    lanes = run.chunk.length // run.stride
    order = [k * lanes + lane for lane in range(lanes) for k in range(run.stride)]
    if run.stride == 2:
        return site.block.shuffle(values[0], values[1], order)
    first = site.block.shuffle(values[0], values[1], range(2 * lanes))
    last = values[3] if run.stride == 4 else None
    lanes_of_second = [*range(lanes), *(range(lanes, 2 * lanes) if last is not None else [-1] * lanes)]
    return site.block.shuffle(first, site.block.shuffle(values[2], last, lanes_of_second), order)
