"""Instructions of x86-64, in AT&T syntax, as steps of the cost model (`rv.cost.loop`)."""

from __future__ import annotations

import re
from typing import Final

from rv.cost.loop import Divides, Step, Use
from rv.target.description import Form, Operation

_OPERAND: Final = re.compile(r",\s*(?![^()]*\))")
_REGISTER: Final = re.compile(r"%(\w+)")
_VECTOR: Final = re.compile(r"[xyz]mm(\d+)")
_WIDTH: Final = {"x": 128, "y": 256, "z": 512}
_GENERAL: Final = re.compile(r"e?(ax|bx|cx|dx|si|di|bp|sp|al|bl|cl|dl)$|r(\w\w|\d+)[dwb]?$|(si|di|bp|sp)l$")

_KINDS: Final[dict[Operation, re.Pattern[str]]] = {
    "mask": re.compile(r"k(?!mov|shift|unpck|add)"),
    "fused": re.compile(r"vfn?m(add|sub)"),
    "multiply": re.compile(r"v?mulp|v?muls[sd]|vscalef|vrcp14|vrsqrt14"),
    "add": re.compile(r"v?(add|sub)[ps][sdh]$|v?addsub"),
    "minimum": re.compile(r"v?(min|max)[ps][sdh]$|v?u?comis|vrange"),
    "shift": re.compile(r"v?ps(ll|rl|ra)v?[wdq]$|vpro[lr]"),
    "product": re.compile(r"v?pm(ul|add)|vpmull|v?psadbw|vpdp"),
    "convert": re.compile(r"v?cvt|v?round|vrndscale|vgetexp|vgetmant|vreduce|vfixupimm"),
    "across": re.compile(
        r"vperm(?!il)|v(extract|insert|shuf)[if]|valign|vpmov(?!ms)|vp?broadcast|vp?compress|vp?expand|k(shift|unpck|add)"
    ),
    "bitwise": re.compile(r"v?(and|andn|or|xor)p[sd]"),
    "shuffle": re.compile(r"v?p?unpck|v?shufp|v?pshuf|vpermil|v?palign|v?mov(dd|s[lh]|hl|lh)|v?pack|v?p[sl][rl]ldq|v?insertps"),
}
"""The first of these that matches the name says what it is; what is left is logic."""
_STEPS_OF_MOVES: Final = re.compile(r"v?mov(ap|up|dq|nt|ss|sd|[hl]p|[dq]\b)|v?lddqu|vp?maskmov")
_NO_RESULT: Final = re.compile(r"v?u?comis|v?p?test|cmp|test|kortest|ktest|prefetch")
_BRANCHES: Final = re.compile(r"j[a-z]+$|call|ret")
_FORMS: Final[dict[Form, re.Pattern[str]]] = {
    "compress": re.compile(r"vp?(compress|expand)"),
    "narrow": re.compile(r"vpmov[a-z]*[dwq]b$"),
    "round": re.compile(r"vrndscale|v?round"),
    "multiply_words": re.compile(r"v?pmulld"),
    "multiply_longs": re.compile(r"vpmullq"),
    "test": re.compile(r"v?ptest"),
    "permute_two": re.compile(r"vperm[it]2[bw]"),
}
"""Those that descriptions say more about than their kind."""
_WIDENS: Final = re.compile(r"v?pmov[sz]x")
_BLENDS: Final = re.compile(r"v?p?blendv")
_ONE_ELEMENT: Final = re.compile(r"v?p(insr|extr)|v?extractps")


def x86_step(line: str) -> Step | None:
    """The step of one line of assembly; None for labels, comments and directives."""
    text = line.partition("#")[0].strip().removeprefix("{vex}\t")
    if not text or text.startswith(".") or text.endswith(":"):
        return None
    name, _, rest = text.partition("\t")
    operands = [part.strip() for part in _OPERAND.split(rest.strip())] if rest.strip() else []
    memory = next((place for place, part in enumerate(operands) if "(" in part), None)
    addresses = () if memory is None else tuple(map(_canonical, _REGISTER.findall(operands[memory])))
    if _BRANCHES.match(name):
        return Step((Use("branch", 64),))
    registers = [_canonical(found) for part in operands for found in _REGISTER.findall(part)]
    if name.startswith("lea"):
        return Step((Use("integer", 64),), reads=addresses, writes=(registers[-1],))
    if name.startswith("prefetch"):
        return Step((Use("load", 64),), addresses=addresses)
    wide = max((_WIDTH[found[0]] for found in _REGISTER.findall(rest) if _VECTOR.fullmatch(found)), default=64)
    if "gather" in name or "scatter" in name:
        return _apart(name, operands, addresses, tuple(registers), wide)
    stores = memory is not None and memory == len(operands) - 1 and not _NO_RESULT.match(name)
    loads = memory is not None and not stores
    sources, target = _sources(operands, name, stores=stores)
    if not loads and not stores and _is_idle(name, operands, rest):
        copies: tuple[Use, ...] = (Use("copy", wide),) if "mov" in name and wide > 64 else ()
        return Step(copies, reads=sources if not name.startswith(("vxor", "vpxor", "xor")) else (), writes=target)
    uses = [] if _moves(name, rest) and memory is not None else _uses(name, operands, wide)
    if "{%k" in rest and _moves(name, rest) and memory is None:
        uses = [Use("logic", wide)]
    masked = ("{%k" in rest or "maskmov" in name) and not uses and memory is not None
    # an operand in memory with an index takes a place of its own where the operation does not overwrite another operand
    indexed = bool(uses) and loads and len(addresses) > 1
    # Intel issues an operation and its load together, AMD and Arm have no operands in memory apart
    issued = max(1.0, sum(use.times for use in uses) + stores * bool(uses))
    uses += [Use("load", wide)] if loads else []
    uses += [Use("spread", wide)] if loads and "broadcast" in name else []
    uses += [Use("store", wide), Use("address", 64)] if stores else []
    general = loads and wide == 64 and not any("%k" in part for part in operands)
    divides = _divides(name, wide)
    operand = stores or (loads and (uses[0].operation != "load" or divides is not None))
    return Step(
        tuple(uses), divides, addresses, sources, target, masked=masked, indexed=indexed, issued=issued, operand=operand,
        general=general,
    )  # fmt: skip


def _canonical(register: str) -> str:
    """One name for registers that overlap."""
    found = _VECTOR.fullmatch(register)
    if found is not None:
        return f"v{found[1]}"
    found = re.fullmatch(r"r(\d+)[dwb]?", register)
    if found is not None:
        return f"r{found[1]}"
    return re.sub(r"^[re](?=[abcds])|(?<=[abcd])[lhx]$|(?<=[sdb][ip])l$", "", register)


def _sources(operands: list[str], name: str, *, stores: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Registers that are read and written. The last operand is read as well by what has two operands, or keeps lanes."""
    if not operands:
        return (), ()
    masks = tuple(_canonical(found) for found in re.findall(r"\{%(k\d)\}", " ".join(operands)))
    plain = [part for part in operands if "(" not in part]
    named = [_canonical(found) for part in plain for found in _REGISTER.findall(part.partition("{")[0])]
    if stores or _NO_RESULT.match(name):
        return (*named, *masks), ()
    if not named:
        return masks, ()
    target = named[-1]
    merges = bool(masks) and "{z}" not in " ".join(operands) and not name.startswith(("vblendm", "vpblendm", "vcmp", "vpcmp"))
    keeps = merges or name.startswith(("vfm", "vfnm", "vpermt2", "vpermi2", "vpternlog"))
    two = not name.startswith(("v", "mov", "k", "set")) and len(operands) <= 2
    return (*named[: None if keeps or two else -1], *masks), (target,)


def _is_idle(name: str, operands: list[str], rest: str) -> bool:
    """Copies of registers and zeros, which take no port."""
    if name.startswith(("vxor", "vpxor", "xor")) and len(set(operands)) == 1:
        return True
    same = len({bool(_GENERAL.match(part.lstrip("%"))) for part in operands}) == 1
    copies = re.match(r"v?mov(ap|up|dq)|mov[lq]?$", name) is not None and "{%k" not in rest and "$" not in rest
    return (copies and same) or name in ("vzeroupper", "nop")


def _moves(name: str, rest: str) -> bool:
    return _STEPS_OF_MOVES.match(name) is not None or (name.startswith(("mov", "kmov")) and "(" in rest) or (
        "broadcast" in name and "(" in rest
    )


def _uses(name: str, operands: list[str], wide: int) -> list[Use]:
    general = any(_GENERAL.match(part.lstrip("%")) for part in operands if "(" not in part)
    vectors = wide > 64
    if not vectors and not any("%k" in part for part in operands):
        return [Use("integer", 64)]
    if re.match(r"v?movmsk|vpmovmskb|v?mov[dq]$|kmov", name):
        return [Use("transfer" if general else "mask" if name.startswith("kmov") else "logic", 64)]
    if general and re.match(r"v?cvt", name):
        return [Use("transfer", 64), Use("convert", 64)]
    if general and "broadcast" in name:
        return [Use("transfer", 64)]
    if re.match(r"v?(div|sqrt)", name):
        return []
    if re.match(r"v?p?cmp|vptestn?m|vfpclass", name):
        if "%k" in operands[-1]:
            return [Use("compare", wide)]
        return [Use("minimum" if name.startswith(("vcmp", "cmp")) else "logic", wide)]
    if _ONE_ELEMENT.match(name):
        return [Use("shuffle", 128), *([Use("transfer", 64)] if general else [])]
    if _BLENDS.match(name):
        return [Use("blend", wide)]
    if _WIDENS.match(name) and operands[-1].startswith("%xmm"):
        return [Use("shuffle", 128)]
    kind: Operation = next((kind for kind, pattern in _KINDS.items() if pattern.match(name)), "logic")
    return [Use(kind, wide, form=next((form for form, pattern in _FORMS.items() if pattern.match(name)), None))]


def _divides(name: str, wide: int) -> Divides | None:
    found = re.match(r"v?(div|sqrt)([ps])([sd])", name)
    return None if found is None else Divides(found[1] == "sqrt", 64 if found[3] == "d" else 32, wide if found[2] == "p" else 64)


def _apart(name: str, operands: list[str], addresses: tuple[str, ...], registers: tuple[str, ...], wide: int) -> Step:
    element = 64 if re.search(r"(pd|qq|dq)$", name) or "gatherq" in name or "scatterq" in name else 32
    elements = wide // element
    if "scatter" in name:
        return Step((Use("store", 64, elements),), addresses=addresses, reads=registers, issued=2 * elements)
    target = _canonical(operands[-1].partition("{")[0].strip().lstrip("%"))
    return Step((), addresses=addresses, reads=registers, writes=(target,), gathered=elements, issued=elements)
