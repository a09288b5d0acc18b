"""The plan: every choice that is open once kernel and target are given. A frozen value with one text form."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final, Literal, TypeVar, get_args

from rv.ir.types import FloatMode
from rv.target.process_forks import loading
from rv.widen.policies import SkipPolicy, TailPolicy

if TYPE_CHECKING:
    from layouts.layout import Layout

MathMode = Literal["libm", "vector"]
ThreadMode = Literal["none", "openmp"]
StorePolicy = Literal["cached", "stream"]
SplitPolicy = Literal["auto", "none", "all"]
Vectorizer = Literal["none", "llvm"]
UnrollPolicy = Literal["auto", "none", "all"]

FLOAT_MODES: Final[tuple[FloatMode, ...]] = get_args(FloatMode)
MATH_MODES: Final[tuple[MathMode, ...]] = get_args(MathMode)
TAIL_POLICIES: Final[tuple[TailPolicy, ...]] = get_args(TailPolicy)
THREAD_MODES: Final[tuple[ThreadMode, ...]] = get_args(ThreadMode)
SKIP_POLICIES: Final[tuple[SkipPolicy, ...]] = get_args(SkipPolicy)
SPLIT_POLICIES: Final[tuple[SplitPolicy, ...]] = get_args(SplitPolicy)
UNROLL_POLICIES: Final[tuple[UnrollPolicy, ...]] = get_args(UnrollPolicy)
STORE_POLICIES: Final[tuple[StorePolicy, ...]] = get_args(StorePolicy)
VECTORIZERS: Final[tuple[Vectorizer, ...]] = get_args(Vectorizer)
REGISTER_BITS: Final = (0, 128, 256, 512)
MAX_LANES: Final = 4096
MAX_PREFETCH: Final = 64
MAX_RANK: Final = 8
MAX_TILE: Final = 999_999
MAX_SLOPE: Final = 1_000

ROW: Final = "row"
"""The text of the default layout of arrays."""

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z_0-9]*\Z")
_NUMBER: Final = re.compile(r"[0-9]{1,6}\Z")
C = TypeVar("C", bound=str)


class PlanError(ValueError):
    """A plan that is invalid for every kernel; `hint` describes valid ones."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        if hint:
            self.add_note(f"hint: {hint}")


@dataclass(frozen=True, slots=True)
class Brush:
    """The thread array (thesis, definition 24): `sizes[d]` iterations of dimension d at once, outermost loop first.

    `names` are the induction variables of the loops, or empty: then the brush goes to the innermost parallel loops. No
    sizes at all: the code stays scalar. Raises PlanError.
    """

    sizes: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if any(size < 1 for size in self.sizes):
            raise PlanError(f"brush '{self}' has an empty dimension", "every size is at least 1")
        if len(self.sizes) > MAX_RANK:
            raise PlanError(f"brush '{self}' has {len(self.sizes)} dimensions", f"at most {MAX_RANK} are supported")
        if self.lanes > MAX_LANES:
            raise PlanError(f"brush '{self}' has {self.lanes} lanes", f"at most {MAX_LANES} are supported")
        if self.names and len(self.names) != len(self.sizes):
            raise PlanError(f"brush '{self}' names only some of its loops", "name all loops or none")
        if len(set(self.names)) != len(self.names):
            raise PlanError(f"brush '{self}' names a loop twice")

    @property
    def rank(self) -> int:
        return len(self.sizes)

    @property
    def lanes(self) -> int:
        return math.prod(self.sizes)

    def __str__(self) -> str:
        return _sizes_text(self.names, self.sizes)


def _sizes_text(names: tuple[str, ...], sizes: tuple[int, ...]) -> str:
    if names:
        return ",".join(f"{name}={size}" for name, size in zip(names, sizes, strict=False))
    return "x".join(map(str, sizes)) or "none"


SCALAR: Final = Brush()


@dataclass(frozen=True, slots=True)
class Tile:
    """Blocks of iterations around the brush: `sizes[d]` iterations of loop d, outermost first; 1: that loop has no tiles.

    `names` are the induction variables of the loops, or empty: then these are the innermost loops. Raises PlanError.
    """

    sizes: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if any(not 1 <= size <= MAX_TILE for size in self.sizes):
            raise PlanError(f"'{self}' is not a tile", f"every size is at least 1 and at most {MAX_TILE}")
        if self.names and len(self.names) != len(self.sizes):
            raise PlanError(f"tile '{self}' names only some of its loops", "name all loops or none")
        if len(set(self.names)) != len(self.names):
            raise PlanError(f"tile '{self}' names a loop twice")

    @property
    def pairs(self) -> tuple[tuple[str, int], ...]:
        """Names and sizes."""
        return tuple(zip(self.names, self.sizes, strict=True))

    def __str__(self) -> str:
        return _sizes_text(self.names, self.sizes)


UNTILED: Final = Tile()


@dataclass(frozen=True, slots=True)
class Skew:
    """Iterations of `loop` are ordered along a slope: by the sum of its variable and multiples of those of other loops.

    Written `i+2*j`. Raises PlanError.
    """

    loop: str
    by: tuple[tuple[str, int], ...]

    def __post_init__(self) -> None:
        names = [self.loop, *(name for name, _ in self.by)]
        if not self.by or len(set(names)) != len(names):
            raise PlanError(f"'{self}' is not a slope", "write a loop and multiples of others, such as i+2*j")
        if any(not 1 <= factor <= MAX_SLOPE for _, factor in self.by):
            raise PlanError(f"'{self}' is not a slope", f"every factor is at least 1 and at most {MAX_SLOPE}")

    def __str__(self) -> str:
        return "+".join((self.loop, *(name if factor == 1 else f"{factor}*{name}" for name, factor in self.by)))


@dataclass(frozen=True, slots=True)
class Plan:
    """How one kernel is to be compiled.

    `projection` lists the dimensions of the brush, fastest lane first; None: the dimension with unit stride in most accesses
    comes first. `register_bits` narrows the target's registers (0: their full width). `strict_aliasing`: memory
    is read as the type that it was written as, as C demands. `assume_parallel` names loops whose iterations the user declares
    independent. `threads`: whether the outermost parallel loop of a nest is divided among
    OpenMP's threads. `auto`: the brush is not explicit, so that sizes in the source (`simdlen` clauses) override it.
    `layouts` are those of arrays that are not row-major: pairs of a parameter's name and a layout, which are kept in
    the order of the names. `stores`: whether main loops write around the caches. `prefetch`: how many brushes ahead main loops
    prefetch the lines that they will read; 0: no prefetch. `boscc`: which code under a condition that differs between lanes is
    skipped when no lane is active. `order`: loops, by their induction variables, in the order in which they run, outermost first.
    `tile`: blocks of iterations that run one after the other, around the brush. `skew`: loops whose iterations run in wavefronts,
    or, with tiles, in tiles along a slope. `fuse`: neighbouring loops with equal bounds run as one. `split`: whether loops are
    divided into pieces in which conditions on the iteration are decided; `auto` does that where brushes are chosen by cost and it
    is estimated to be faster. `unroll`: the same for inner loops with few constant iterations, which become straight code.
    `vectorizer`: whether loops that no brush takes are left to LLVM's loop vectorizer.

    Raises PlanError.
    """

    brush: Brush = SCALAR
    projection: tuple[int, ...] | None = None
    fp: FloatMode = "strict"
    math: MathMode = "libm"
    tail: TailPolicy = "auto"
    boscc: SkipPolicy = "auto"
    stores: StorePolicy = "cached"
    prefetch: int = 0
    register_bits: int = 0
    assume_no_alias: bool = False
    strict_aliasing: bool = True
    assume_parallel: tuple[str, ...] = ()
    threads: ThreadMode = "none"
    auto: bool = False
    layouts: tuple[tuple[str, Layout], ...] = ()
    order: tuple[str, ...] = ()
    tile: Tile = UNTILED
    fuse: bool = False
    split: SplitPolicy = "auto"
    vectorizer: Vectorizer = "none"
    skew: tuple[Skew, ...] = ()
    unroll: UnrollPolicy = "auto"

    def __post_init__(self) -> None:
        object.__setattr__(self, "layouts", _sorted_layouts(self.layouts))
        if len(set(self.order)) != len(self.order):
            raise PlanError(f"order '{','.join(self.order)}' names a loop twice")
        if len({skew.loop for skew in self.skew}) != len(self.skew):
            raise PlanError(f"skew '{','.join(map(str, self.skew))}' skews a loop twice")
        _choice("fp", self.fp, FLOAT_MODES)
        _choice("math", self.math, MATH_MODES)
        _choice("tail", self.tail, TAIL_POLICIES)
        _choice("threads", self.threads, THREAD_MODES)
        _choice("boscc", self.boscc, SKIP_POLICIES)
        _choice("stores", self.stores, STORE_POLICIES)
        _choice("split", self.split, SPLIT_POLICIES)
        _choice("vectorizer", self.vectorizer, VECTORIZERS)
        _choice("unroll", self.unroll, UNROLL_POLICIES)
        if not 0 <= self.prefetch <= MAX_PREFETCH:
            raise _too_far(str(self.prefetch))
        _choice("register_bits", str(self.register_bits), tuple(map(str, REGISTER_BITS)))
        if self.projection is not None and self.brush.rank and sorted(self.projection) != list(range(self.brush.rank)):
            example = ",".join(map(str, reversed(range(self.brush.rank))))
            raise PlanError(
                f"projection '{_numbers(self.projection)}' does not fit brush '{self.brush}'",
                f"it must list every dimension once, fastest first, such as {example}",
            )

    @property
    def moves_loops(self) -> bool:
        """Whether iterations run in another order than in the source, apart from brushes."""
        return bool(self.order or self.tile.sizes or self.fuse or self.skew)

    @property
    def vector_math(self) -> bool:
        """Whether vector functions replace libm's: when they are requested, and with `fast` arithmetic."""
        return self.math == "vector" or self.fp == "fast"

    def __str__(self) -> str:
        """`brush=4x8 fp=fast`: the brush and what differs from the defaults; `parse_plan` reads it back."""
        default = Plan()
        parts = [f"brush={self.brush}"]
        for field in fields(self)[1:]:
            value = getattr(self, field.name)
            if value != getattr(default, field.name):
                parts.append(f"{field.name}={_text_of(value)}")
        return " ".join(parts)


def parse_plan(text: str) -> Plan:
    """The plan whose text form this is. Raises PlanError."""
    known = {field.name for field in fields(Plan)}
    found: dict[str, str] = {}
    for part in text.split():
        name, equals, value = part.partition("=")
        if not equals or name not in known:
            raise PlanError(f"'{part}' is not part of a plan", f"a plan is made of {', '.join(sorted(known))}")
        if name in found:
            raise PlanError(f"the plan contains {name} twice")
        found[name] = value
    brush = parse_brush(found.get("brush", "none"))
    if brush is None:
        raise PlanError("a plan holds a definite brush, not 'auto'")
    return Plan(
        brush=brush,
        projection=parse_projection(found["projection"]) if "projection" in found else None,
        fp=_choice("fp", found.get("fp", "strict"), FLOAT_MODES),
        math=_choice("math", found.get("math", "libm"), MATH_MODES),
        tail=_choice("tail", found.get("tail", "auto"), TAIL_POLICIES),
        boscc=_choice("boscc", found.get("boscc", "auto"), SKIP_POLICIES),
        stores=_choice("stores", found.get("stores", "cached"), STORE_POLICIES),
        prefetch=parse_prefetch(found.get("prefetch", "0")),
        register_bits=int(_choice("register_bits", found.get("register_bits", "0"), tuple(map(str, REGISTER_BITS)))),
        assume_no_alias=_choice("assume_no_alias", found.get("assume_no_alias", "no"), ("yes", "no")) == "yes",
        strict_aliasing=_choice("strict_aliasing", found.get("strict_aliasing", "yes"), ("yes", "no")) == "yes",
        assume_parallel=tuple(filter(None, found.get("assume_parallel", "").split(","))),
        threads=_choice("threads", found.get("threads", "none"), THREAD_MODES),
        auto=_choice("auto", found.get("auto", "no"), ("yes", "no")) == "yes",
        layouts=tuple(map(parse_array_layout, filter(None, found.get("layouts", "").split(";")))),
        order=parse_order(found.get("order", "")),
        tile=parse_tile(found.get("tile", "none")),
        fuse=_choice("fuse", found.get("fuse", "no"), ("yes", "no")) == "yes",
        split=_choice("split", found.get("split", "auto"), SPLIT_POLICIES),
        vectorizer=_choice("vectorizer", found.get("vectorizer", "none"), VECTORIZERS),
        skew=parse_skew(found.get("skew", "")),
        unroll=_choice("unroll", found.get("unroll", "auto"), UNROLL_POLICIES),
    )


def parse_brush(text: str) -> Brush | None:
    """The brush written `4x8`, `j=4,i=8` or `none`; None for `auto`. Raises PlanError."""
    if text in ("auto", "none"):
        return None if text == "auto" else SCALAR
    hint = "write sizes such as 4x8, or loops such as j=4,i=8, or auto, or none"
    names, sizes = _parse_sizes(text, f"'{text}' is not a brush", hint)
    return Brush(sizes, names)


def _parse_sizes(text: str, wrong: str, hint: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The names and sizes written `4x8` or `j=4,i=8`."""
    parts = [part.partition("=") for part in text.split(",")] if "=" in text else [("", "", p) for p in text.split("x")]
    if not all(_NUMBER.match(size) and (not equals or _NAME.match(name)) for name, equals, size in parts):
        raise PlanError(wrong, hint)
    return tuple(name for name, _, _ in parts if name), tuple(int(size) for _, _, size in parts)


def parse_tile(text: str) -> Tile:
    """The tile written `64x512`, `j=64,i=512` or `none`. Raises PlanError."""
    if text == "none":
        return UNTILED
    names, sizes = _parse_sizes(text, f"'{text}' is not a tile", "write sizes such as 64x512, or loops such as j=64,i=512")
    return Tile(sizes, names)


def parse_order(text: str) -> tuple[str, ...]:
    """The order of loops written `k,i,j`; no loops at all are the order of the source. Raises PlanError."""
    names = tuple(text.split(",")) if text else ()
    if not all(map(_NAME.match, names)):
        raise PlanError(f"'{text}' is not an order of loops", "list their variables, outermost first, such as k,i,j")
    return names


def parse_skew(text: str) -> tuple[Skew, ...]:
    """The slopes written `i+2*j`, several with commas between them; none at all for no text or `none`. Raises PlanError."""
    return tuple(map(_parse_slope, text.split(","))) if text not in ("", "none") else ()


def _parse_slope(text: str) -> Skew:
    loop, *others = text.split("+")
    parts = [other.rpartition("*") for other in others]
    if not all(_NAME.match(name) and (not star or _NUMBER.match(factor)) for factor, star, name in (*parts, ("", "", loop))):
        raise PlanError(f"'{text}' is not a slope", "write a loop and multiples of others, such as i+2*j")
    return Skew(loop, tuple((name, int(factor or 1)) for factor, _, name in parts))


def parse_projection(text: str) -> tuple[int, ...]:
    """The projection written `1,0`. Raises PlanError."""
    parts = text.split(",")
    if not all(_NUMBER.match(part) for part in parts):
        raise PlanError(f"'{text}' is not a projection", "list the dimensions of the brush, fastest first, such as 1,0")
    return tuple(map(int, parts))


def parse_prefetch(text: str) -> int:
    """The number of brushes written `2`. Raises PlanError."""
    if not re.fullmatch(r"[0-9]{1,2}", text) or int(text) > MAX_PREFETCH:
        raise _too_far(text)
    return int(text)


def _too_far(text: str) -> PlanError:
    return PlanError(f"'{text}' is not a prefetch distance", f"give a number of brushes, 0 to {MAX_PREFETCH}")


def parse_array_layout(text: str) -> tuple[str, Layout]:
    """The array and its layout written `A=2x2`; see `layouts.layout` for layouts. Raises PlanError."""
    # plans without layouts do not load them
    with loading("layouts"):
        from layouts.layout import LayoutError, parse_layout

    name, equals, layout = text.partition("=")
    if not equals or not _NAME.match(name):
        raise PlanError(f"'{text}' does not assign a layout to an array", "write the array's name and its layout, such as A=2x2")
    try:
        return name, parse_layout(layout)
    except LayoutError as error:
        raise PlanError(str(error), error.hint) from error


def _sorted_layouts(given: tuple[tuple[str, Layout], ...]) -> tuple[tuple[str, Layout], ...]:
    for name, _ in given:
        if not _NAME.match(name):
            raise PlanError(f"'{name}' is not the name of an array")
        if len({layout for other, layout in given if other == name}) > 1:
            raise PlanError(f"array '{name}' is given two layouts")
    return tuple(sorted({name: layout for name, layout in given if str(layout) != ROW}.items(), key=lambda pair: pair[0]))


def _choice(name: str, value: str, allowed: tuple[C, ...]) -> C:
    for choice in allowed:
        if choice == value:
            return choice
    raise PlanError(f"'{value}' is not a choice for {name}", f"choose one of {', '.join(allowed)}")


def _numbers(values: tuple[int, ...]) -> str:
    return ",".join(map(str, values))


def _text_of(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return ";".join(f"{name}={layout}" for name, layout in value)
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
