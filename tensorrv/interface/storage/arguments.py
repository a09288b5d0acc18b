"""Arrays that are passed to a kernel in the layouts it was compiled for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from layouts.layout import RowMajor
from layouts.packing import Array, PackedArray
from tensorrv.interface.signature import Signature
from tensorrv.interface.storage.runs import Storage, Storages

if TYPE_CHECKING:
    from tensorrv.interface.reach import Reaches

Shapes = Mapping[str, tuple[int, ...]]


def stored_arguments(
    signature: Signature, given: Mapping[str, Any], storages: Storages
) -> tuple[Mapping[str, Array], Shapes]:
    """The elements of the arrays that are given as what `trv.pack` makes, and their shapes.

    Raises ValueError for one in another layout than the kernel takes.
    """
    packed = {name: value for name, value in given.items() if isinstance(value, PackedArray)}
    for name, value in packed.items():
        expected = storages[name].layout if name in storages else RowMajor()
        if value.layout != expected:
            where = f"argument '{name}' of {signature.name}()"
            raise ValueError(f"{where} must be stored under layout '{expected}', not '{value.layout}'")
    elements = {name: value.data if name in storages else _rows(signature, name, value) for name, value in packed.items()}
    return elements, {name: value.shape for name, value in packed.items()}


def _rows(signature: Signature, name: str, packed: PackedArray) -> Array:
    """A row-major array that went through `trv.pack`, in its shape again."""
    try:
        return packed.data.reshape(packed.shape)
    except ValueError as error:
        raise ValueError(f"argument '{name}' of {signature.name}() has another number of elements than its shape") from error


def check_extents(
    signature: Signature,
    arrays: Mapping[str, Array],
    storages: Storages,
    shapes: Shapes,
    scalars: Mapping[str, Any],
    reaches: Reaches,
) -> None:
    """Raises ValueError unless every array with a layout holds as many elements as its layout stores.

    `shapes` has those that are known from packing; those of other arrays follow from `scalars`.
    """
    sizes = {name: value for name, value in scalars.items() if isinstance(value, int)}
    for name, storage in storages.items():
        shape = _shape(name, storage, shapes.get(name), sizes, reaches)
        needed, found = storage.address.extent(shape), arrays[name].size
        if found < needed:
            where = f"argument '{name}' of {signature.name}()"
            lengths = " x ".join(map(str, shape))
            raise ValueError(f"{where} has {found} elements, but layout '{storage.layout}' of {lengths} stores {needed}")


def _shape(
    name: str, storage: Storage, given: tuple[int, ...] | None, sizes: Mapping[str, int], reaches: Reaches
) -> tuple[int, ...]:
    if given is not None and len(given) == storage.address.rank:
        return given
    reach = None if storage.lengths[0] is not None else reaches(sizes).get(name)
    return storage.shape(sizes, 0 if reach is None else reach.high + 1)
