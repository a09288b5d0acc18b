"""Copies of the code of a function: the function itself, and for every brushed loop one copy of its body per brush variant.

A loop that is brushed with m lanes becomes a chain of loops: one that runs whole brushes while m iterations are left, then
tails. A tail is a masked brush, whose inactive lanes touch no memory, or a series of narrower brushes. Brushed loops nest: a
copy of the outer body holds a chain of copies of the inner body. The *scope* of a copy is the set of dimensions whose loops
surround it; its lanes are the coordinates over its scope.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import gcd

from rv.evolution.facts import Legal, Loop
from rv.widen.lanes import Coordinate, Pattern, cut_registers, enumerate_lanes
from tensorrv.brush.elements import Element, Family
from tensorrv.brush.grids import Grid
from tensorrv.brush.placed import Anchor, PlacedFamily
from tensorrv.brush.tails import LoopToCut, Variant, variants
from tensorrv.nest.model import Nests
from tensorrv.schedule.plan import TailPolicy


@dataclass(frozen=True, slots=True)
class StoreAnchor:
    """The place of a store that is to be aligned, and with how many whole brushes in the innermost brushed loop that pays."""

    block: str
    position: int
    least_brushes: int


@dataclass(frozen=True, slots=True)
class BrushedNest:
    """A chain of loops to brush, outermost first, with the sizes and the projection of the brush.

    `contiguous` holds the dimensions along which some access is contiguous: their tails are worth a mask. `anchor` is a store
    whose lines the innermost brushed loop may be aligned to, since the order of iterations does not matter at all. `grids`
    say, loop by loop, where brushes begin for the sake of layouts; lanes are numbered block by block, in `blocks` of these sizes.
    `facts` are what holds inside the outermost loop. `divided`: threads share the iterations of that loop.
    `distinct`: arrays are known not to overlap. `stream`: main loops write around the caches, to the
    `nontemporal` arrays if there are any, else to all. `prefetch`: how many brushes ahead they ask for what they read.
    """

    headers: tuple[str, ...]
    sizes: tuple[int, ...]
    projection: tuple[int, ...]
    contiguous: frozenset[int]
    anchor: StoreAnchor | None
    grids: tuple[Grid | None, ...]
    blocks: tuple[int, ...]
    legal: Legal
    facts: Nests
    divided: bool = False
    distinct: bool = True
    stream: bool = False
    nontemporal: frozenset[str] = frozenset()
    prefetch: int = 0

    @property
    def rank(self) -> int:
        return len(self.headers)


@dataclass(eq=False, slots=True)
class Copy:
    """One copy of the blocks of a brushed loop (`level` >= 0) or of the function (`level` -1, no nest).

    `sizes` has one entry per dimension of the brush, 1 outside the scope. `blocks` are the labels of the copied P-LLVM blocks
    in reverse post-order, without those of inner brushed loops, for which `children` has the copies in the order in which
    they run. `stream`: writes go around the caches. `demand` says which patterns of which variables are needed, `relieved` which
    quotients and roots among them are not for the divider. `anchors` tell where brushes of this copy stand on grids. `streamed`
    are the pieces that its code writes around the caches, as family, first element and length.
    """

    nest: BrushedNest | None
    level: int
    sizes: tuple[int, ...]
    masked: frozenset[int]
    parent: Copy | None
    blocks: tuple[str, ...]
    head: bool = False
    stream: bool = False
    anchors: tuple[Anchor, ...] = ()
    children: dict[str, list[Copy]] = field(default_factory=dict)
    demand: dict[str, set[Pattern]] = field(default_factory=dict)
    relieved: frozenset[tuple[str, Pattern]] = frozenset()
    streamed: list[tuple[Family | PlacedFamily, Element, int]] = field(default_factory=list)
    inside: frozenset[str] = field(init=False)
    """The labels once more, to look them up."""

    def __post_init__(self) -> None:
        self.inside = frozenset(self.blocks)

    @property
    def header(self) -> str | None:
        return self.nest.headers[self.level] if self.nest else None

    @property
    def is_idle(self) -> bool:
        """Whether no brush ever runs it: it was made to stream and has nothing to."""
        return self.stream and not self.streamed

    @property
    def width(self) -> int:
        """Iterations of this copy's own loop that one brush covers."""
        return self.sizes[self.level]

    def lanes(self, dimensions: frozenset[int]) -> tuple[Coordinate, ...]:
        """The coordinates over those dimensions of the scope that are in `dimensions`, in lane order."""
        assert self.nest is not None
        sizes = tuple(m if d in dimensions else 1 for d, m in enumerate(self.sizes))
        return enumerate_lanes(sizes, self.nest.projection, self.nest.blocks)

    def registers(self, dimensions: frozenset[int], width: int) -> tuple[Pattern, ...]:
        """The lanes over `dimensions`, cut into registers of `width` lanes."""
        return cut_registers(self.lanes(dimensions), width)

    def walk(self) -> Iterator[Copy]:
        """This copy and all copies inside it, outer ones first."""
        yield self
        for copies in self.children.values():
            for copy in copies:
                yield from copy.walk()


def copy_tree(
    order: tuple[str, ...],
    loops: Mapping[str, Loop],
    nests: tuple[BrushedNest, ...],
    tail: TailPolicy,
    *,
    masks: bool,
    lanes: Mapping[str, int],
) -> Copy:
    """The copy of the function with all copies inside it.

    `order` holds all block labels in reverse post-order; `lanes` the register width, in lanes, of every nest (by its
    outermost header).
    """
    inside = frozenset(label for nest in nests for label in loops[nest.headers[0]].blocks)
    root = Copy(None, -1, (), frozenset(), None, tuple(label for label in order if label not in inside))
    for nest in nests:
        _add_children(root, nest, order, loops, tail, masks, lanes[nest.headers[0]])
    return root


def _add_children(
    parent: Copy, nest: BrushedNest, order: tuple[str, ...], loops: Mapping[str, Loop], tail: TailPolicy, masks: bool, lanes: int
) -> None:
    level = parent.level + 1
    header = nest.headers[level]
    deeper = loops[nest.headers[level + 1]].blocks if level + 1 < nest.rank else frozenset[str]()
    own = tuple(label for label in order if label in loops[header].blocks and label not in deeper)
    sizes = parent.sizes if parent.nest else (1,) * nest.rank
    parent.children[header] = []
    grid = nest.grids[level]
    loop = LoopToCut(
        nest.sizes[level],
        level in nest.contiguous,
        inside_mask=bool(parent.masked),
        align=nest.anchor is not None and level == nest.rank - 1,
        head=0 if grid is None else grid.step - 1 if grid.first is None else grid.first,
        trips=_constant_trips(loops[header]),
        stream=nest.stream and level == nest.rank - 1,
    )
    step = 0 if grid is None else grid.step
    for variant in variants(loop, tail, masks=masks, lanes=lanes):
        copy = _make(parent, nest, level, sizes, variant, own)
        if grid is not None and not copy.head:
            step = gcd(step, copy.width)
        copy.anchors = parent.anchors + (() if grid is None else _anchors(grid, copy, step))
        parent.children[header].append(copy)
        if level + 1 < nest.rank:
            _add_children(copy, nest, order, loops, tail, masks, lanes)


def _constant_trips(loop: Loop) -> int | None:
    return None if loop.trip is None else loop.trip.constant


def _make(parent: Copy, nest: BrushedNest, level: int, sizes: tuple[int, ...], variant: Variant, own: tuple[str, ...]) -> Copy:
    widths = (*sizes[:level], variant.width, *sizes[level + 1 :])
    masked = parent.masked | {level} if variant.masked else parent.masked
    return Copy(nest, level, widths, masked, parent, own, variant.head, variant.stream)


def _anchors(grid: Grid, copy: Copy, step: int) -> tuple[Anchor, ...]:
    """What is known of the counter at the first lane of a copy; `step` divides how far it moves from the first brush on."""
    if not copy.head:
        return (grid.anchor(0, step),)
    # a head runs once, or one iteration at a time
    known = grid.first is not None and grid.first <= copy.width
    return (grid.anchor(grid.first or 0, grid.step),) if known else ()
