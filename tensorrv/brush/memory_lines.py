"""LLVM's masked memory instructions, one function each: loads and stores of neighbours, of one element, and of any addresses.

Masks are i1 for each lane; None stands for all lanes. `array` names the memory that is touched, for the order of lines.
"""

from __future__ import annotations

from rv.ir.types import I1, PTR, Type, bits_of
from rv.widen.llvm_text import type_text
from tensorrv.brush.site import Site

Place = tuple[object, ...]


def masked_load(site: Site, type_: Type, address: str, mask: str, array: str, lanes: int, place: Place | None) -> str:
    """A vector of the neighbours from `address` on; anything where the mask does not hold.

    LLVM 22 makes one instruction of a masked load and a later `select` under the same mask, at the place of the latter, even when
    the memory has been overwritten in between. It knows predicated loads not so well.
    """
    if lanes == 1 or not site.context.is_written(site.copy, array):
        return _zeroing_load(site, type_, address, mask, array, lanes, place)
    vector, truth = f"<{lanes} x {type_}>", f"<{lanes} x i1>"
    name = f"llvm.vp.load.v{lanes}{mangled(type_)}.p0"
    site.llvm.declare(name, f"declare {vector} @{name}({PTR}, {truth}, i32)")
    tag, align = site.context.alias_tag(site.copy, array), bits_of(type_) // 8
    text = f"call {vector} @{name}({PTR} align {align} {address}, {truth} {mask}, i32 {lanes}){tag}"
    return site.block.load(text, [address, mask], site.memory(array), weight=site.weight(bits_of(type_), lanes), place=place)


def _zeroing_load(site: Site, type_: Type, address: str, mask: str, array: str, lanes: int, place: Place | None) -> str:
    vector, truth = f"<{lanes} x {type_}>", f"<{lanes} x i1>"
    name = f"llvm.masked.load.v{lanes}{mangled(type_)}.p0"
    site.llvm.declare(name, f"declare {vector} @{name}({PTR}, {truth}, {vector})")
    tag, align = site.context.alias_tag(site.copy, array), bits_of(type_) // 8
    text = f"call {vector} @{name}({PTR} align {align} {address}, {truth} {mask}, {vector} zeroinitializer){tag}"
    return site.block.load(text, [address, mask], site.memory(array), weight=site.weight(bits_of(type_), lanes), place=place)


def load_if(site: Site, condition: str, type_: Type, address: str, array: str, place: Place | None) -> str:
    """A scalar load that only takes place under a condition; zero otherwise.

    Where masks are cheap it is the first lane of a masked vector: a branch would cut the block in two.
    """
    lanes = _first_lane_of(site, type_)
    mask = _first(site, condition, lanes)
    result = _zeroing_load(site, type_, address, mask, array, lanes, place)
    return site.block.pure(f"extractelement <{lanes} x {type_}> {result}, i64 0", [result])


def masked_store(
    site: Site, type_: Type, value: str, address: str, mask: str, array: str, lanes: int, place: Place | None
) -> None:
    """Stores a vector to the neighbours from `address` on, where the mask holds."""
    vector, truth = f"<{lanes} x {type_}>", f"<{lanes} x i1>"
    name = f"llvm.masked.store.v{lanes}{mangled(type_)}.p0"
    site.llvm.declare(name, f"declare void @{name}({vector}, {PTR}, {truth})")
    tag = site.context.alias_tag(site.copy, array)
    text = f"call void @{name}({vector} {value}, {PTR} align {bits_of(type_) // 8} {address}, {truth} {mask}){tag}"
    site.block.store(text, [address, value, mask], site.memory(array), place)


def store_if(site: Site, condition: str, type_: Type, value: str, address: str, array: str) -> None:
    """A scalar store that only takes place under a condition; see `load_if`."""
    lanes = _first_lane_of(site, type_)
    vector = site.block.pure(f"insertelement <{lanes} x {type_}> poison, {type_} {value}, i64 0", [value])
    masked_store(site, type_, vector, address, _first(site, condition, lanes), array, lanes, None)


def gather(site: Site, type_: Type, addresses: str, mask: str | None, array: str, lanes: int) -> str:
    """Elements at any addresses, zeros where the mask does not hold."""
    vector, truth, pointers = f"<{lanes} x {type_}>", f"<{lanes} x i1>", f"<{lanes} x ptr>"
    name = f"llvm.masked.gather.v{lanes}{mangled(type_)}.v{lanes}p0"
    site.llvm.declare(name, f"declare {vector} @{name}({pointers}, {truth}, {vector})")
    chosen = mask if mask is not None else all_true(lanes)
    tag = site.context.alias_tag(site.copy, array)
    arguments = f"{pointers} align {bits_of(type_) // 8} {addresses}, {truth} {chosen}, {vector} zeroinitializer"
    text = f"call {vector} @{name}({arguments}){tag}"
    return site.block.load(text, [addresses, chosen], site.memory(array), weight=site.weight(bits_of(type_), lanes), place=None)


def scatter(site: Site, type_: Type, value: str, addresses: str, mask: str | None, array: str, lanes: int) -> None:
    """Stores lane after lane, in order, to any addresses where the mask holds."""
    vector, truth, pointers = f"<{lanes} x {type_}>", f"<{lanes} x i1>", f"<{lanes} x ptr>"
    name = f"llvm.masked.scatter.v{lanes}{mangled(type_)}.v{lanes}p0"
    site.llvm.declare(name, f"declare void @{name}({vector}, {pointers}, {truth})")
    chosen = mask if mask is not None else all_true(lanes)
    tag = site.context.alias_tag(site.copy, array)
    text = f"call void @{name}({vector} {value}, {pointers} align {bits_of(type_) // 8} {addresses}, {truth} {chosen}){tag}"
    site.block.store(text, [addresses, value, chosen], site.memory(array), None)


def _first_lane_of(site: Site, type_: Type) -> int:
    """Lanes of the vector in whose first lane a scalar is accessed under a condition."""
    return 128 // bits_of(type_) if site.context.target.cheap_masks and bits_of(type_) >= 32 else 1


def _first(site: Site, condition: str, lanes: int) -> str:
    return site.block.pure(f"insertelement <{lanes} x i1> zeroinitializer, i1 {condition}, i64 0", [condition])


def mangled(type_: Type) -> str:
    """The type as it is spelled in the names of LLVM's intrinsics."""
    return {"float": "f32", "double": "f64", "ptr": "p0"}.get(str(type_), str(type_))


def single(site: Site, type_: Type, value: str) -> str:
    """A scalar as a vector of one lane."""
    return site.block.pure(f"insertelement <1 x {type_}> poison, {type_} {value}, i64 0", [value])


def all_true(lanes: int) -> str:
    """A mask of all lanes."""
    return f"<{', '.join([f'{type_text(I1)} true'] * lanes)}>"
