"""A loop nest of assignments over index ranges, and its C text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tensorrv.frontend.symbolic.boxes import Boundary, Box, Cut, Reach, Side, boxes, is_inside, mapped_index
from tensorrv.frontend.symbolic.c_names import check_distinct

Term = Callable[[Callable[["Element"], str]], str]
"""A formula in C, given how the elements that it reads are written."""


@dataclass(frozen=True, slots=True)
class Array:
    """`extents` are lengths in C, outermost first."""

    name: str
    extents: tuple[str, ...]
    element: str
    written: bool


@dataclass(frozen=True, slots=True)
class Element:
    """An array element. `offsets` are the distances to the point that is computed, where they are known numbers."""

    array: str
    indices: tuple[str, ...]
    offsets: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """`target = value`, where `value(read)` is the formula in C with `read` for the elements it reads."""

    target: Element
    value: Term

    @property
    def is_temporary(self) -> bool:
        """Whether the target is a number of the point that is computed, called as an array without subscripts."""
        return not self.target.indices


@dataclass(frozen=True, slots=True)
class Program:
    """The C function `name`.

    `counters` are the loops' variables, outermost first, `ranges` the bounds of each (the second excluded). With a `boundary`
    other than "leave" all points of a domain with these `lengths` are computed, elements within `reaches` around it being those
    of the mode; `outside` is the value for "constant".
    """

    name: str
    arrays: tuple[Array, ...]
    sizes: tuple[str, ...]
    scalars: tuple[tuple[str, str], ...]
    counters: tuple[str, ...]
    ranges: tuple[tuple[str, str], ...]
    statements: tuple[Statement, ...]
    boundary: Boundary = "leave"
    reaches: tuple[Reach, ...] = ()
    lengths: tuple[str, ...] = ()
    outside: str = "0"
    constants: tuple[tuple[str, str], ...] = ()
    """Numbers in front of the loops, by name."""
    type: str = "double"


def program_text(program: Program) -> str:
    """The program as a C function. Raises ValueError for names that C cannot have."""
    temporaries = [s.target.array for s in program.statements if s.is_temporary]
    check_distinct((*_declared(program), *temporaries))
    lines = [*_signature(program), "{"]
    lines += [f"    {program.type} {name} = {value};" for name, value in program.constants]
    if program.boundary == "leave":
        lines += _nest(program, tuple(Side(low, high, False) for low, high in program.ranges))
    else:
        cuts = _cuts(program)
        lines += [f"    {line}" for cut in cuts for line in cut.definitions()]
        for box in boxes(cuts):
            lines += _nest(program, box)
    return "\n".join(["#include <math.h>", "", *lines, "}", ""])


def _declared(program: Program) -> Iterator[str]:
    """The names of what is declared outside of the loops' bodies."""
    yield from (*program.sizes, *(name for name, _ in program.scalars), *program.counters)
    yield from (*(array.name for array in program.arrays), *(name for name, _ in program.constants))


def _cuts(program: Program) -> list[Cut]:
    taken = {*_declared(program), *(s.target.array for s in program.statements if s.is_temporary)}
    found: list[Cut] = []
    for counter, length, reach in zip(program.counters, program.lengths, program.reaches, strict=True):
        found.append(Cut(length, reach, _unused(f"{counter}_low", taken), _unused(f"{counter}_high", taken)))
    return found


def _unused(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _signature(program: Program) -> Iterator[str]:
    parameters = [f"int {name}" for name in program.sizes] + [f"{type_} {name}" for name, type_ in program.scalars]
    for array in program.arrays:
        first, *others = array.extents
        inner = "".join(f"[{extent}]" for extent in others)
        constant = "" if array.written else "const "
        parameters.append(f"{constant}{array.element} {array.name}[restrict {first}]{inner}")
    yield f"void {program.name}({', '.join(parameters)})"


def _nest(program: Program, box: Box) -> Iterator[str]:
    indent = "    "
    if box[-1].mapped and len(box) > 1:
        yield "    #pragma novector"  # at most as wide as the stencil
    for counter, side in zip(program.counters, box, strict=True):
        yield f"{indent}for (int {counter} = {side.low}; {counter} < {side.high}; ++{counter})"
        indent += "    "
    body = [_assignment(program, statement, box) for statement in program.statements]
    if len(body) == 1:
        yield indent + body[0]
        return
    yield f"{indent[4:]}{{"
    yield from (indent + line for line in body)
    yield f"{indent[4:]}}}"


def _assignment(program: Program, statement: Statement, box: Box) -> str:
    kind = f"{program.type} " if statement.is_temporary else ""
    return f"{kind}{_element(statement.target)} = {statement.value(lambda element: _read(program, element, box))};"


def _read(program: Program, element: Element, box: Box) -> str:
    """The element as it is read in a box: as it is, mapped to one inside, or a constant outside."""
    if element.offsets is None:
        return _element(element)
    indices, conditions = list(element.indices), []
    for d, side in enumerate(box):
        if side.mapped and element.offsets[d]:
            conditions.append(is_inside(indices[d], program.lengths[d]))
            indices[d] = mapped_index(indices[d], program.lengths[d], program.boundary)
    text = _element(Element(element.array, tuple(indices)))
    if program.boundary == "constant" and conditions:
        return f"({' && '.join(conditions)} ? {text} : {program.outside})"
    return text


def _element(element: Element) -> str:
    return element.array + "".join(f"[{index}]" for index in element.indices)


