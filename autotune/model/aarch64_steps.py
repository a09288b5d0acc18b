"""Instructions of AArch64 as steps of the cost model (`rv.cost.loop`)."""

from __future__ import annotations

import re
from typing import Final

from rv.cost.loop import Divides, Step, Use
from rv.target.description import Operation

_REGISTER: Final = re.compile(r"\b([vqdshbxw])(\d+)\b")
_KINDS: Final[dict[Operation, re.Pattern[str]]] = {
    "multiply": re.compile(r"fmul|fn?m(la|ls|add|sub)|frecps|frsqrts"),
    "convert": re.compile(r"[su]cvtf|fcvt|frint|frecpe|frsqrte"),
    "product": re.compile(r"[su]?q?r?d?mul|ml[as]|[su]ml[as]l|[su]dot|[su]aba?dl?|[su]shll?v|r?shrn|[su]add[lw]?p"),
    "shuffle": re.compile(r"zip|uzp|trn|ext|tbl|tbx|dup|rev|ins|mov$"),
    "add": re.compile(r"f(add|sub|min|max|abd|addp)"),
    "compare": re.compile(r"fcm|fac"),
}
"""The first of these that matches the name says what it is; what is left is logic."""
_BRANCHES: Final = re.compile(r"b(\.|$)|cbn?z|tbn?z|bl$|ret|br")
_ACCUMULATE: Final = re.compile(r"fml|ml[as]|[su]ml[as]l|bif|bit|bsl|ins|[su]aba|[su]dot|sri|sli")
_VECTORS: Final = "vqdshb"


def aarch64_step(line: str) -> Step | None:
    """The step of one line of assembly; None for labels, comments and directives."""
    text = line.partition("//")[0].strip()
    if not text or text.startswith(".") or text.endswith(":"):
        return None
    name, _, rest = text.partition("\t")
    if _BRANCHES.match(name):
        return Step((Use("branch", 64),), reads=_named(rest))
    memory = rest[rest.index("[") :] if "[" in rest and name.startswith(("ld", "st", "prfm")) else ""
    if name == "prfm":
        return Step((Use("load", 64),), addresses=_named(memory))
    if memory:
        return _access(name, rest, memory)
    registers = _named(rest)
    vector = any(kind in _VECTORS for kind, _ in _REGISTER.findall(rest))
    if not registers or (name in ("mov", "fmov", "movi") and _copies(name, rest)):
        return Step(reads=registers[1:], writes=registers[:1], issued=1)
    if name.startswith(("fcmp", "cmp", "tst", "ccmp", "fccmp")):
        return Step((Use("compare" if vector else "integer", 128),), reads=registers)
    reads = registers if _ACCUMULATE.match(name) or re.search(r"\[\d\]", rest.partition(",")[0]) else registers[1:]
    divides = _divides(name, rest)
    uses = () if divides else _uses(name, rest, vector=vector)
    return Step(uses, divides, reads=reads, writes=registers[:1], issued=max(1, len(uses)))


def _named(text: str) -> tuple[str, ...]:
    """The registers of a text: one name for vectors and one for general ones."""
    return tuple(f"{'v' if kind in _VECTORS else 'x'}{number}" for kind, number in _REGISTER.findall(text))


def _copies(name: str, rest: str) -> bool:
    """Copies between registers of one kind, and constants."""
    registers = _REGISTER.findall(rest)
    kinds = {kind in _VECTORS for kind, _ in registers}
    return len(kinds) == 1 and not re.search(r"\[\d+\]", rest) and (name != "fmov" or "#" in rest or len(registers) > 1)


def _access(name: str, rest: str, memory: str) -> Step:
    data = _named(rest[: len(rest) - len(memory)])
    addresses = _named(memory)
    vector = any(kind in _VECTORS for kind, _ in _REGISTER.findall(rest[: len(rest) - len(memory)]))
    bits = 128 if re.match(r"\{|q|v", rest.strip()) else 64
    times = len(data) if name in ("ldp", "stp", "ldnp", "stnp") and bits == 128 else 1
    moved: tuple[Use, ...] = (Use("integer", 64),) if "]!" in memory or re.search(r"\],", memory) else ()
    base = addresses[:1] if moved else ()
    if name.startswith("ld"):
        # one lane is loaded and inserted, or spread
        insert: tuple[Use, ...] = (Use("shuffle", 128),) if name.startswith("ld1") and (name != "ld1" or "}[" in rest) else ()
        kept = data if "}[" in rest else ()
        uses = (Use("load", bits, times), *insert, *moved)
        return Step(uses, addresses=addresses, reads=kept, writes=(*data, *base), issued=times + len(insert) + len(moved))
    data_uses: tuple[Use, ...] = (Use("logic", bits, times),) if vector else ()
    uses = (Use("store", bits, times), *data_uses, *moved)
    return Step(uses, reads=(*data, *addresses), writes=base, issued=times + len(data_uses) * times + len(moved))


def _uses(name: str, rest: str, *, vector: bool) -> tuple[Use, ...]:
    if not vector:
        return (Use("integer", 64),)
    general = any(kind in "xw" for kind, _ in _REGISTER.findall(rest))
    if general:
        if name.startswith(("scvtf", "ucvtf", "fcvt")):
            return (Use("transfer", 64), Use("convert", 64))
        inserts = name in ("mov", "ins") and re.search(r"v\d+\.\w+\[", rest.partition(",")[0]) is not None
        return (Use("transfer", 64), Use("shuffle", 128)) if inserts else (Use("transfer", 64),)
    kind = next((kind for kind, pattern in _KINDS.items() if pattern.match(name)), None)
    return (Use(kind or "logic", 128),)


def _divides(name: str, rest: str) -> Divides | None:
    if name not in ("fdiv", "fsqrt"):
        return None
    found = re.search(r"\.(\d)([sd])", rest)
    if found is not None:
        return Divides(name == "fsqrt", 64 if found[2] == "d" else 32, 128)
    return Divides(name == "fsqrt", 64 if rest.lstrip().startswith("d") else 32, 64)
