"""Instruction sets: the properties of a machine on which code generation depends."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Final

from rv.ir.types import Type, size_of
from rv.target import cpus
from rv.target.host import Host, host
from rv.target.tables import BadEntry, Table

NAMED_TARGETS: Final = ("native", "avx512", "avx2", "neon")
DESCRIPTION: Final = ".toml"
_CPU_OF: Final = {"avx512": "x86-64-v4", "avx2": "x86-64-v3", "neon": "generic"}


class UnknownTarget(ValueError):
    """There is no target or processor called `name`; `close` are names that resemble it."""

    def __init__(self, name: str, close: tuple[str, ...]) -> None:
        super().__init__(f"unknown target '{name}'")
        self.name = name
        self.close = close


@dataclass(frozen=True, slots=True)
class Target:
    """A machine.

    `name` is what the user calls it; `cpu` and `features` are LLVM's. `register_bits` is the width of a vector register and
    `registers` their number. `cheap_masks`: a masked load or store is one instruction that suppresses faults (AVX-512).
    `fma`: fused multiply-add is an instruction. `avx512_from`: the narrowest registers for which AVX-512 has instructions, in
    bits; 0 without AVX-512. `short_bits` is the width of the widest registers with arithmetic on bytes and shorts. `dots`: of
    which numbers one instruction adds the products of neighbours to words. `description`: the text of a description of the core
    that takes the place of those that come with the package (`rv.target.description`).
    """

    name: str
    triple: str
    cpu: str
    features: str
    register_bits: int
    registers: int
    cheap_masks: bool
    fma: bool
    avx512_from: int = 0
    short_bits: int = 128
    dots: frozenset[cpus.Dot] = frozenset()
    description: str = ""

    @property
    def label(self) -> str:
        """The name as a part of names of files."""
        return PurePath(self.name).stem if self.description else self.name

    @property
    def architecture(self) -> str:
        """The first part of the triple: `x86_64` or `aarch64`."""
        return self.triple.partition("-")[0]

    def lanes(self, element: Type) -> int:
        """How many elements of this type one vector register holds."""
        return self.register_bits // (8 * size_of(element))


class BadDescription(ValueError):
    """A file that is given as a target does not describe a core; `reason` says why."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"'{name}' does not describe a core: {reason}")


def as_target(target: Target | str) -> Target:
    """A target, or the one called so: see `resolve_target`."""
    return resolve_target(target) if isinstance(target, str) else target


def resolve_target(name: str) -> Target:
    """The target called `native`, `avx512`, `avx2`, `neon` or like one of LLVM's processors for x86-64 or AArch64.

    A name that ends in `.toml` is a file that describes a core (`rv.target.description`): code is for the processor that it names
    as `target`, by default the first of its `cpus`. Raises UnknownTarget, BadDescription.
    """
    if name.endswith(DESCRIPTION):
        return _described(name)
    if name == "native":
        return _native(host())
    cpu = _CPU_OF.get(name, name)
    if name == "neon" or cpu in cpus.AARCH64:
        return _aarch64(name, "aarch64-unknown-linux-gnu", cpu, "", cpus.dots_of(cpu))
    if cpu in cpus.X86:
        bits = 512 if cpu in cpus.X86_AVX512 else 128 if cpu in cpus.X86_SSE else 256
        fma, short = cpu in cpus.X86_AVX512 | cpus.X86_AVX_FMA, cpu not in cpus.X86_AVX512F
        avx2 = fma and cpu not in cpus.X86_FMA_ONLY
        dots = cpus.dots_of(cpu)
        return _x86(name, "x86_64-unknown-linux-gnu", cpu, "", bits, dots, fma=fma, short=short, avx2=avx2)
    known = (*NAMED_TARGETS, *sorted(cpus.X86 | cpus.AARCH64))
    raise UnknownTarget(name, tuple(difflib.get_close_matches(name, known, n=3, cutoff=0.6)))


def _described(name: str) -> Target:
    import tomllib

    from rv.target.description import read_description

    try:
        text = Path(name).read_text(encoding="utf-8")
        entries = tomllib.loads(text)
    except OSError as error:
        raise BadDescription(name, (error.strerror or str(error)).lower()) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadDescription(name, str(error)) from error
    try:
        cpus_named = read_description(text).cpus
        base = resolve_target(Table(entries).text("target") if "target" in entries or not cpus_named else cpus_named[0])
    except (BadEntry, UnknownTarget) as error:
        raise BadDescription(name, str(error)) from error
    return replace(base, name=name, description=text)


def runs_here(target: Target) -> str | None:
    """None when code for the target can run in this process, else the reason why not."""
    here = host()
    if target.architecture != here.triple.partition("-")[0]:
        return f"it is for {target.architecture} and this machine is {here.triple.partition('-')[0]}"
    if target.triple != here.triple:
        return f"it is for {target.triple} and this process is {here.triple}"
    if target.cpu == here.cpu or target.cpu == "generic":
        return None
    needed = cpus.NEEDED_FEATURES.get(target.cpu)
    if needed is None:
        return f"it is not known whether this processor ({here.cpu}) runs code for {target.cpu}"
    missing = sorted(needed - here.features)
    return f"this processor ({here.cpu}) lacks {', '.join(missing)}" if missing else None


def _native(here: Host) -> Target:
    if here.triple.startswith("aarch64"):
        return _aarch64("native", here.triple, here.cpu, here.feature_string, cpus.dots_with(here.features))
    if not here.triple.startswith("x86_64"):
        raise UnknownTarget("native", ("avx512", "avx2", "neon"))
    bits = 512 if "avx512f" in here.features else 256 if "avx" in here.features else 128
    fma, short = "fma" in here.features, "avx512vl" in here.features
    avx2 = "avx2" in here.features
    dots = cpus.dots_with(here.features)
    return _x86("native", here.triple, here.cpu, here.feature_string, bits, dots, fma=fma, short=short, avx2=avx2)


def _x86(
    name: str, triple: str, cpu: str, features: str, bits: int, dots: frozenset[cpus.Dot], *, fma: bool, short: bool, avx2: bool
) -> Target:
    """`short`: with AVX-512 come AVX-512VL, its instructions for shorter registers, and AVX-512BW, those for bytes."""
    wide = bits == 512
    least = 0 if not wide else 128 if short else 512
    of_bytes = 512 if wide and short else 256 if avx2 else 128
    return Target(
        name, triple, cpu, features, bits, registers=32 if wide else 16, cheap_masks=wide, fma=fma, avx512_from=least,
        short_bits=of_bytes, dots=dots,
    )  # fmt: skip


def _aarch64(name: str, triple: str, cpu: str, features: str, dots: frozenset[cpus.Dot]) -> Target:
    return Target(name, triple, cpu, features, register_bits=128, registers=32, cheap_masks=False, fma=True, dots=dots)
