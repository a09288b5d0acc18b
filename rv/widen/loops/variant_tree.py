"""Variants of the code of a function: the function itself, and for every brushed loop one variant of its body per brush pass.

A loop that is brushed with m lanes becomes a chain of loops: one that runs whole brushes while m iterations are left, then
tails. A tail is a masked brush, whose inactive lanes touch no memory, or a series of narrower brushes. Brushed loops nest: a
variant of the outer body holds a chain of variants of the inner body. The *scope* of a variant is the set of dimensions whose
loops surround it; its lanes are the coordinates over its scope.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rv.evolution.facts import Loop, LoopFacts
from rv.widen.lanes import Coordinate, Lanes, cut_registers, enumerate_lanes
from rv.widen.loops.tails import BrushPass, LoopToCut, brush_passes
from rv.widen.policies import TailPolicy


@dataclass(frozen=True, slots=True)
class VectorNest:
    """A chain of loops that take several iterations at once, outermost first: so many lanes each, numbered by the projection.

    `contiguous` holds the dimensions along which some access is contiguous: their tails are worth a mask. Lanes are numbered
    block by block, in `blocks` of these sizes. `facts` are what holds inside the outermost loop. `heads` give for each loop how
    many iterations at most come before the first whole brush, so that it begins at a certain place. `align`: in the innermost
    loop whole brushes may begin where their stores are aligned to cache lines, since the order of iterations does not matter at
    all. `divided`: threads share the iterations of the outermost loop. `distinct`: arrays are known not to overlap. `stream`:
    main loops may write around the caches. `followed`: whole brushes of the innermost loop run only where an iteration follows.
    """

    headers: tuple[str, ...]
    sizes: tuple[int, ...]
    projection: tuple[int, ...]
    contiguous: frozenset[int]
    blocks: tuple[int, ...]
    facts: LoopFacts
    heads: tuple[int, ...]
    align: bool = False
    divided: bool = False
    distinct: bool = True
    stream: bool = False
    followed: bool = False

    @property
    def rank(self) -> int:
        return len(self.headers)


@dataclass(eq=False, slots=True)
class Variant:
    """One variant of the blocks of a brushed loop (`level` >= 0) or of the function (`level` -1, no nest).

    `sizes` has one entry per dimension of the brush, 1 outside the scope. `blocks` are the labels of the copied P-LLVM blocks
    in reverse post-order, without those of inner brushed loops, for which `children` has the variants in the order in which
    they run. `stream`: non-temporal stores. `followed`: another iteration comes after each brush. `demand`: the sets of lanes of
    variables that are read.
    """

    nest: VectorNest | None
    level: int
    sizes: tuple[int, ...]
    masked: frozenset[int]
    parent: Variant | None
    blocks: tuple[str, ...]
    head: bool = False
    stream: bool = False
    followed: bool = False
    children: dict[str, list[Variant]] = field(default_factory=dict)
    demand: dict[str, set[Lanes]] = field(default_factory=dict)
    inside: frozenset[str] = field(init=False)
    """The labels once more, to look them up."""

    def __post_init__(self) -> None:
        self.inside = frozenset(self.blocks)

    @property
    def header(self) -> str | None:
        return self.nest.headers[self.level] if self.nest else None

    @property
    def width(self) -> int:
        """Iterations of this variant's own loop that one brush covers."""
        return self.sizes[self.level]

    def lanes(self, dimensions: frozenset[int]) -> tuple[Coordinate, ...]:
        """The coordinates over those dimensions of the scope that are in `dimensions`, in lane order."""
        assert self.nest is not None
        sizes = tuple(m if d in dimensions else 1 for d, m in enumerate(self.sizes))
        return enumerate_lanes(sizes, self.nest.projection, self.nest.blocks)

    def registers(self, dimensions: frozenset[int], width: int) -> tuple[Lanes, ...]:
        """The lanes over `dimensions`, cut into registers of `width` lanes."""
        return cut_registers(self.lanes(dimensions), width)

    def walk(self) -> Iterator[Variant]:
        """This variant and all variants inside it, outer ones first."""
        yield self
        for variants in self.children.values():
            for variant in variants:
                yield from variant.walk()


def variant_tree(
    order: tuple[str, ...],
    loops: Mapping[str, Loop],
    nests: tuple[VectorNest, ...],
    tail: TailPolicy,
    *,
    masks: bool,
    lanes: Mapping[str, int],
) -> Variant:
    """The variant of the function with all variants inside it.

    `order` holds all block labels in reverse post-order; `lanes` the register width, in lanes, of every nest (by its
    outermost header).
    """
    inside = frozenset(label for nest in nests for label in loops[nest.headers[0]].blocks)
    root = Variant(None, -1, (), frozenset(), None, tuple(label for label in order if label not in inside))
    for nest in nests:
        _add_children(root, nest, order, loops, tail, masks, lanes[nest.headers[0]])
    return root


def _add_children(
    parent: Variant,
    nest: VectorNest,
    order: tuple[str, ...],
    loops: Mapping[str, Loop],
    tail: TailPolicy,
    masks: bool,
    lanes: int,
) -> None:
    level = parent.level + 1
    header = nest.headers[level]
    deeper = loops[nest.headers[level + 1]].blocks if level + 1 < nest.rank else frozenset[str]()
    own = tuple(label for label in order if label in loops[header].blocks and label not in deeper)
    sizes = parent.sizes if parent.nest else (1,) * nest.rank
    parent.children[header] = []
    loop = LoopToCut(
        nest.sizes[level],
        level in nest.contiguous,
        inside_mask=bool(parent.masked),
        align=nest.align and level == nest.rank - 1,
        head=nest.heads[level],
        trips=_constant_trips(loops[header]),
        stream=nest.stream and level == nest.rank - 1,
        followed=nest.followed and level == nest.rank - 1,
    )
    for brush_pass in brush_passes(loop, tail, masks=masks, lanes=lanes):
        variant = _make(parent, nest, level, sizes, brush_pass, own)
        parent.children[header].append(variant)
        if level + 1 < nest.rank:
            _add_children(variant, nest, order, loops, tail, masks, lanes)


def _constant_trips(loop: Loop) -> int | None:
    return None if loop.trip is None else loop.trip.constant


def _make(
    parent: Variant, nest: VectorNest, level: int, sizes: tuple[int, ...], brush_pass: BrushPass, own: tuple[str, ...]
) -> Variant:
    widths = (*sizes[:level], brush_pass.width, *sizes[level + 1 :])
    masked = parent.masked | {level} if brush_pass.masked else parent.masked
    return Variant(nest, level, widths, masked, parent, own, brush_pass.head, brush_pass.stream, brush_pass.followed)
