"""Instructions of AArch64 as steps of the cost model (`rv.cost.loop`)."""

from __future__ import annotations

import re
from typing import Final

from rv.cost.loop import Divides, Step, Use
from rv.target.description import Operation

_REGISTER: Final = re.compile(r"\b([vqdshbzpxw])(\d+)\b")
_KINDS: Final[dict[Operation, re.Pattern[str]]] = {
    "fused": re.compile(r"fn?m(la|ls|ad|sb|add|sub)|frecps|frsqrts"),
    "multiply": re.compile(r"fmul|fnmul"),
    "convert": re.compile(r"[su]cvtf|fcvt|frint|frecpe|frsqrte"),
    "product": re.compile(r"[su]?q?r?d?mul|ml[as]|[su]ml[as]l|u?[su]dot|[su]aba?dl?|[su]add[lw]?p"),
    "shuffle": re.compile(r"zip|uzp|trn|ext|tbl|tbx|dup|rev|ins|mov$"),
    "add": re.compile(r"f(add|sub|abd)"),
    "minimum": re.compile(r"f(min|max)"),
    "shift": re.compile(r"sh[lr]|[su]sh[lr]|[su]shll?2?$|[su]sra|sri|sli|shrn|[su]q?r?shrn|asr|ls[lr]$"),
    "compare": re.compile(r"fcm|fac"),
}
"""The first of these that matches the name says what it is; what is left is logic."""
_MEMORY: Final = re.compile(r"\[(?=[a-z])")
_MOVED: Final = re.compile(r"\[[xs][^\]]*\](!|,)")
_BRANCHES: Final = re.compile(r"b(\.|$)|cbn?z|tbn?z|bl$|ret|br")
_ACCUMULATE: Final = re.compile(r"fml|ml[as]|[su]ml[as]l|bif|bit|bsl|ins|[su]aba|u?[su]dot|sri|sli")
_AS_LONG: Final = re.compile(r"(mul|ml[as]|sqr?dmulh)$")
_WHOLE: Final = re.compile(r"v\d+\.(16b|8h|4s)")
"""Products of whole registers that are as long as their factors."""
_VECTORS: Final = "vqdshbz"
_FILE: Final = dict.fromkeys(_VECTORS, "v") | {"p": "p", "x": "x", "w": "x"}


def aarch64_steps(line: str) -> tuple[Step, ...]:
    """The steps of one line of assembly; none for labels, comments and directives.

    An access that moves its address is two: the address does not wait for what is loaded or stored.
    """
    text = line.partition("//")[0].strip()
    if not text or text.startswith(".") or text.endswith(":"):
        return ()
    name, _, rest = text.partition("\t")
    step = _step(name, rest)
    if not _MOVED.search(rest) or name.startswith("prf"):
        return (step,)
    base = _named(rest[rest.index("[") :])[:1]
    move = Step((Use("integer", 64),), reads=base, writes=base)
    return (move, step) if "]!" in rest else (step, move)


def _step(name: str, rest: str) -> Step:
    if _BRANCHES.match(name):
        return Step((Use("branch", 64),), reads=_named(rest))
    accesses = name.startswith(("ld", "st", "prf")) and _MEMORY.search(rest)
    memory = rest[accesses.start() :] if accesses else ""
    if name.startswith("prf"):
        return Step((Use("load", 64),), addresses=_named(memory))
    if memory:
        return _access(name, rest, memory)
    registers = _named(rest)
    vector = any(kind in _VECTORS for kind, _ in _REGISTER.findall(rest))
    if not registers or (name in ("mov", "fmov", "movi") and _copies(name, rest)):
        return Step((Use("copy", 128),) if vector else (), reads=registers[1:], writes=registers[:1], issued=1)
    if name.startswith(("fcmp", "cmp", "tst", "ccmp", "fccmp")) and not registers[0].startswith("p"):
        return Step((Use("compare", 128) if vector else Use("integer", 64),), reads=registers)
    adds_to = registers[0] if name.startswith("fml") else ""
    keeps = _ACCUMULATE.match(name) or re.search(r"\[\d\]", rest.partition(",")[0])
    reads = registers if keeps and not adds_to else registers[1:]
    divides = _divides(name, rest)
    uses = () if divides else _uses(name, rest, vector=vector)
    return Step(uses, divides, reads=reads, writes=registers[:1], issued=max(1, len(uses)), adds_to=adds_to)


def _named(text: str) -> tuple[str, ...]:
    """The registers of a text: one name for vectors and one for general ones."""
    return tuple(f"{_FILE[kind]}{number}" for kind, number in _REGISTER.findall(text))


def _copies(name: str, rest: str) -> bool:
    """Copies between registers of one kind, and constants."""
    registers = _REGISTER.findall(rest)
    kinds = {kind in _VECTORS for kind, _ in registers}
    return len(kinds) == 1 and not re.search(r"\[\d+\]", rest) and (name != "fmov" or "#" in rest or len(registers) > 1)


def _access(name: str, rest: str, memory: str) -> Step:
    named = _named(rest[: len(rest) - len(memory)])
    masks = tuple(register for register in named[1:] if register[0] == "p")
    data = tuple(register for register in named if register not in masks)
    addresses = _named(memory)
    vector = any(kind in _VECTORS for kind, _ in _REGISTER.findall(rest[: len(rest) - len(memory)]))
    bits = 128 if re.match(r"\{|q|v|z", rest.strip()) else 64
    times = len(data) if name in ("ldp", "stp", "ldnp", "stnp") and bits == 128 else 1
    if name.startswith("ld"):
        # one lane is loaded and inserted, or spread
        inserts = name == "ld1r" or (name == "ld1" and "}[" in rest)
        insert: tuple[Use, ...] = (Use("shuffle", 128),) if inserts else ()
        kept = data if "}[" in rest else ()
        general = not vector and data[0][0] == "x"
        uses = (Use("load", bits, times), *insert)
        issued = times + len(insert)
        return Step(uses, addresses=(*addresses, *masks), reads=kept, writes=data, issued=issued, general=general)
    data_uses: tuple[Use, ...] = (Use("logic", bits, times),) if vector else ()
    uses = (Use("store", bits, times), *data_uses)
    return Step(uses, reads=(*data, *masks, *addresses), issued=times + len(data_uses) * times)


def _uses(name: str, rest: str, *, vector: bool) -> tuple[Use, ...]:
    if not vector:
        return (Use("integer", 64),)
    general = any(kind in "xw" for kind, _ in _REGISTER.findall(rest))
    if general:
        if name.startswith(("scvtf", "ucvtf", "fcvt")):
            return (Use("transfer", 64), Use("convert", 64))
        inserts = name in ("mov", "ins") and re.search(r"v\d+\.\w+\[", rest.partition(",")[0]) is not None
        return (Use("transfer", 64), Use("shuffle", 128)) if inserts else (Use("transfer", 64),)
    if rest.startswith("p"):
        return (Use("compare", 128), Use("mask", 64)) if vector else (Use("mask", 64),)
    kind = next((kind for kind, pattern in _KINDS.items() if pattern.match(name)), None)
    words = _AS_LONG.match(name) is not None and _WHOLE.match(rest) is not None
    return (Use(kind or "logic", 128, form="multiply_words" if words else None),)


def _divides(name: str, rest: str) -> Divides | None:
    if name not in ("fdiv", "fsqrt"):
        return None
    found = re.search(r"\.(\d)([sd])", rest)
    if found is not None:
        return Divides(name == "fsqrt", 64 if found[2] == "d" else 32, 128)
    return Divides(name == "fsqrt", 64 if rest.lstrip().startswith("d") else 32, 64)
