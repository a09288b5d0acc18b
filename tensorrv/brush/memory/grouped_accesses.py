"""The accesses of a block, in groups: loads of one access group with one memory state are made together, and so are stores."""

from __future__ import annotations

from rv.ir.function import Block
from rv.ir.instructions import Load, Store
from rv.widen.memory.gathers import emit_gather, emit_scatter
from rv.widen.site import Site
from tensorrv.brush.memory.access_groups import AccessGroup, Element
from tensorrv.brush.memory.accesses import accesses_at
from tensorrv.brush.memory.addresses import lane_addresses
from tensorrv.brush.memory.loads import LoadOf, emit_known_loads
from tensorrv.brush.memory.placed import LaidOutGroup
from tensorrv.brush.memory.stores import StoreOf, emit_known_stores


class GroupedAccesses:
    """The loads and stores of a block that is being written."""

    def __init__(self, site: Site, block: Block) -> None:
        self.site = site
        self.groups = load_groups(site, block)
        self.stores = StoreQueue(site)

    def load(self, position: int, load: Load) -> None:
        site = self.site
        array = site.context.array_of(site.variant, site.label, position)
        self.stores.flush(array)
        if position not in self.groups:
            for coordinates in sorted(site.variant.demand.get(load.result.name, ())):
                emit_gather(site, load, array, site.operand(load.pointer, coordinates), coordinates)
        elif (group := self.groups[position]) is not None:
            emit_known_loads(site, group)

    def store(self, position: int, store: Store) -> None:
        self.stores.add(self.site.label, position, store)

    def finish(self) -> None:
        self.stores.flush_all()


class StoreQueue:
    """Stores of the block being written that wait for others of their access group, so that interleaved elements share chunks.

    Nothing else may touch their array meanwhile, and no two of them the same element.
    """

    def __init__(self, site: Site) -> None:
        self.site = site
        self.waiting: dict[str, list[StoreOf]] = {}

    def add(self, label: str, position: int, store: Store) -> None:
        site = self.site
        lane_sets = site.context.stored_lanes(site.variant, label, position, store)
        elements = accesses_at(site).elements(site.variant, label, position)
        array = site.context.array_of(site.variant, label, position)
        if elements is None or len({elements.at(c) for p in lane_sets for c in p}) != sum(map(len, lane_sets)):
            self.flush(array)
            for coordinates in lane_sets:
                pointers = (
                    site.operand(store.pointer, coordinates) if elements is None else lane_addresses(site, elements, coordinates)
                )
                emit_scatter(site, store, array, pointers, coordinates)
            return
        touched = {elements.at(c) for coordinates in lane_sets for c in coordinates}
        if any(not self._is_apart(other, elements.group, touched) for other in self.waiting.get(array, ())):
            self.flush(array)
        self.waiting.setdefault(array, []).append(StoreOf(store, elements, lane_sets))

    @staticmethod
    def _is_apart(other: StoreOf, group: AccessGroup | LaidOutGroup, touched: set[Element]) -> bool:
        """Whether a waiting store is of this access group and touches none of these elements."""
        return other.elements.group == group and not any(other.elements.at(c) in touched for p in other.lane_sets for c in p)

    def flush(self, array: str) -> None:
        group = self.waiting.pop(array, None)
        if group:
            block = self.site.block
            written, block.span = block.span, group[0].store.span
            emit_known_stores(self.site, tuple(group))
            block.span = written

    def flush_all(self) -> None:
        for array in list(self.waiting):
            self.flush(array)


def load_groups(site: Site, block: Block) -> dict[int, tuple[LoadOf, ...] | None]:
    """For every load of known elements its group, at the position of the group's first member; None at the others."""
    members: dict[tuple[AccessGroup | LaidOutGroup, int], list[tuple[int, LoadOf]]] = {}
    epochs: dict[str, int] = {}
    for position, instruction in enumerate(block.body):
        if isinstance(instruction, Store) and site.context.objects_at(site.variant, instruction.pointer) is None:
            array = site.context.array_of(site.variant, block.label, position)
            epochs[array] = epochs.get(array, 0) + 1
        elements = accesses_at(site).elements(site.variant, block.label, position)
        if isinstance(instruction, Load) and elements is not None:
            lane_sets = tuple(sorted(site.variant.demand.get(instruction.result.name, ())))
            key = (elements.group, epochs.get(site.memory(elements.group.array.name), 0))
            members.setdefault(key, []).append((position, LoadOf(instruction, elements, lane_sets)))
    result: dict[int, tuple[LoadOf, ...] | None] = {}
    for group in members.values():
        result.update({position: None for position, _ in group})
        result[group[0][0]] = tuple(member for _, member in group)
    return result
