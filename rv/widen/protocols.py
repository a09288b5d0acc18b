"""The inputs of widening about a nest: which lanes a value has, and how an access is made.

rv implements them for the lanes of one loop, from the stride-alignment lattice (`rv.widen.line`); TensorRV for tiles of several
loops, with tensor shapes, access groups and chunks (`tensorrv.brush`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final, Literal, Protocol

from rv.ir.function import Block
from rv.ir.instructions import Load, Store
from rv.ir.values import Value, Var
from rv.vector.values import Operand

if TYPE_CHECKING:
    from rv.widen.loops.variant_tree import Variant
    from rv.widen.site import Site

Dimensions = frozenset[int]
UNIFORM: Final[Dimensions] = frozenset()


class LaneShapes(Protocol):
    """Which lanes has this value: the dimensions of the lanes along which it varies, seen from inside one nest."""

    def of(self, value: Value) -> Dimensions:
        """The dimensions in which a value varies."""
        ...

    def in_block(self, label: str) -> Dimensions:
        """The dimensions in which lanes differ in whether they run a block."""
        ...

    def object_of(self, pointer: Value) -> str | None:
        """The group (`AllocaSsa`) of stack objects, one of each lane, that a pointer leads to; None for other memory."""
        ...

    def of_object(self, group: str) -> Dimensions:
        """The dimensions along which lanes have stack objects of their own; along others one object serves all of them."""
        ...

    @property
    def groups(self) -> Collection[str]:
        """The groups of stack objects."""
        ...


class Accessed(Protocol):
    """A load or store in a nest: the pointer that it goes through, which names its memory."""

    @property
    def array(self) -> Var: ...

    @property
    def kind(self) -> Literal["load", "store"]: ...


class BlockAccesses(Protocol):
    """Writes the loads and stores of one block, which arrive in order."""

    def load(self, position: int, load: Load) -> None: ...

    def store(self, position: int, store: Store) -> None: ...

    def finish(self) -> None:
        """The block's last instruction has been written."""
        ...


class AccessForms(Protocol):
    """How is this access made. A place is a block with a position in it; stack objects of the lanes are not included."""

    def dimensions(self, variant: Variant, label: str, position: int, pointer: Value) -> Dimensions:
        """The dimensions along which lanes access different addresses."""
        ...

    def is_together(self, variant: Variant, label: str, position: int) -> bool:
        """Whether neighbouring lanes access neighbouring elements."""
        ...

    def in_block(self, site: Site, block: Block) -> BlockAccesses:
        """What writes the accesses of a block, which is being written at `site`."""
        ...

    def head_end(self, site: Site, variant: Variant, counter: Operand, trips: Operand) -> Operand:
        """The iteration before which the head `variant` ends, which begins at `counter`; `site` is before its loop."""
        ...

    def stream_end(self, site: Site, variant: Variant, counter: Operand, limit: Operand) -> Operand:
        """The end of the iterations from `counter` up to `limit` in which `variant` may write around the caches."""
        ...

    def is_idle(self, variant: Variant) -> bool:
        """Whether no brush ever runs a variant: it was made to write around the caches and has nothing to."""
        ...

    def after_nest(self, site: Site, variants: Collection[Variant]) -> None:
        """Write what has to follow the outermost loop of a nest, which has become `variants`."""
        ...
