"""Facts about kernels given as C text."""

from __future__ import annotations

from rv.analysis.memory.alias import EVERYWHERE
from rv.evolution.polynomial import counter
from rv.ir.function import Function
from rv.transform.loops.promote import promote
from rv.transform.prepare import prepare
from tensorrv.frontend.c.module import parse_c
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.model import Access, Nests


def prepared(text: str, *, promoted: bool = False) -> Function:
    """The last function of the text, as analyses see it."""
    function = prepare(parse_c("test.c", text=text).functions[-1].function)
    return promote(function, EVERYWHERE) if promoted else function


def nests_of(text: str, *, promoted: bool = False) -> Nests:
    return analyze_nests(prepared(text, promoted=promoted))


def header(nests: Nests, name: str) -> str:
    """The header of the only loop over this variable."""
    (found,) = [loop.header for loop in nests.loops.values() if loop.name == name]
    return found


def brush_of(nests: Nests, **sizes: int) -> tuple[tuple[str, int], ...]:
    """A brush by names, outermost first."""
    return tuple((header(nests, name), size) for name, size in sizes.items())


def shown(nests: Nests, access: Access) -> str:
    """ "A[i + 1][j] of [m]": subscripts over counters named like the loops' variables."""
    names = {counter(loop.header): loop.name for loop in nests.loops.values()}
    array = access.array.source_name
    if access.subscripts is None:
        return f"{array}[?]"
    text = array + "".join(f"[{s.readable(names)}]" for s in access.subscripts)
    return text + (f" of [{']['.join(e.readable(names) for e in access.extents)}]" if access.extents else "")


def accesses(text: str) -> list[str]:
    """All accesses in textual order, stores marked by a trailing "="."""
    nests = nests_of(text)
    return [shown(nests, a) + (" =" if a.kind == "store" else "") for a in nests.accesses]
