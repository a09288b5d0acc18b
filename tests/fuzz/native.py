"""The oracle: gcc without optimization, and a version that reports what is touched and traps on undefined behaviour."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from tests.fuzz.buffers import Arguments
from tests.fuzz.case import Call, Case
from tests.fuzz.tree import PRELUDE, Program

C_TYPES: Final[dict[str, Any]] = {
    "double": ctypes.c_double, "float": ctypes.c_float, "int": ctypes.c_int32, "unsigned": ctypes.c_uint32, "char": ctypes.c_int8,
    "signed char": ctypes.c_int8, "unsigned char": ctypes.c_uint8, "short": ctypes.c_int16, "unsigned short": ctypes.c_uint16,
    "long": ctypes.c_int64, "unsigned long": ctypes.c_uint64, "size_t": ctypes.c_uint64,
    "_Bool": ctypes.c_bool,
}  # fmt: skip
_COMMON: Final = ("-std=gnu11", "-w", "-O0", "-ffp-contract=off", "-frounding-math", "-fno-builtin", "-fPIC", "-shared")
_SANITIZE: Final = (
    "-fsanitize=undefined,float-cast-overflow,bounds", "-fsanitize-undefined-trap-on-error", "-fno-sanitize=vla-bound,alignment",
)  # fmt: skip
_PROBE: Final = """
char *lowest[16], *highest[16];
static void *probe(int k, const volatile void *a) {
    char *p = (char *)a;
    if (!lowest[k] || p < lowest[k]) lowest[k] = p;
    if (!highest[k] || p > highest[k]) highest[k] = p;
    return p;
}
static long within(long subscript, long length) {
    if (subscript < 0 || subscript >= length) __builtin_trap();
    return subscript;
}
"""


class NotC(Exception):
    """gcc refuses a program."""


def build(text: str, file: Path, *options: str) -> ctypes.CDLL:
    """The text as a loaded library. Raises NotC.

    Each library has a directory of its own: a name that was loaded before would give what was loaded then.
    """
    file = Path(tempfile.mkdtemp(dir=file.parent)) / file.name
    source, library = file.with_suffix(".c"), file.with_suffix(".so")
    source.write_text(text)
    result = subprocess.run(
        ["gcc", *_COMMON, *options, "-o", str(library), str(source), "-lm"], capture_output=True, text=True, check=False
    )
    if result.returncode:
        raise NotC(result.stderr)
    return ctypes.CDLL(str(library))


def build_reference(texts: Sequence[str], file: Path) -> ctypes.CDLL:
    return build("\n".join(texts), file, "-fwrapv")


def build_probe(programs: Sequence[Program], file: Path) -> ctypes.CDLL:
    return build(PRELUDE + _PROBE + "\n".join(program.text(probe=True) for program in programs), file, *_SANITIZE)


def foreign(case: Case, address: int) -> Callable[..., Any]:
    """The function at `address` with the signature of the case: scalars first, then arrays as addresses."""
    result = None if case.result is None else C_TYPES[case.result]
    types = [C_TYPES[type_] for _, type_ in case.scalars] + [ctypes.c_void_p] * len(case.arrays)
    function: Callable[..., Any] = ctypes.CFUNCTYPE(result, *types)(address)
    return function


def passed(case: Case, call: Call, arguments: Arguments) -> list[Any]:
    values = [v if t in ("double", "float") else int(v) for v, (_, t) in zip(call.values, case.scalars, strict=True)]
    return [*values, *(arguments.addresses[a.name] for a in case.arrays)]


def address_of(library: ctypes.CDLL, name: str) -> int:
    return int(ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0)
