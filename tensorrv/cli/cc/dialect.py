"""The language of the user's compiler under the given options, by the macros that it predefines.

That holds for options that imply others, for defaults that distributions build in, and for what -march=native finds. Where
types or arithmetic differ from the front end's, the file is left to the compiler.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rv.ir.types import FloatMode
from rv.target.machine import Target, UnknownTarget, resolve_target
from tensorrv.frontend.outline.pragmas import Dialect

_MACRO: Final = re.compile(r"#define (\w+) ?(.*)")
_ALIGNED: Final[Mapping[str, str]] = {
    "__SIZEOF_INT__": "4", "__SIZEOF_LONG__": "8", "__SIZEOF_POINTER__": "8", "__SIZEOF_SHORT__": "2",
    "__SIZEOF_DOUBLE__": "8", "__SIZEOF_FLOAT__": "4", "__CHAR_BIT__": "8",
}  # fmt: skip
_INSTRUMENTED: Final = ("__SANITIZE_ADDRESS__", "__SANITIZE_THREAD__", "__SANITIZE_HWADDRESS__", "__OPTIMIZE_SIZE__")

_V3: Final = ("AVX2", "BMI", "BMI2", "F16C", "FMA", "LZCNT", "MOVBE")
_LEVELS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("x86-64-v4", (*_V3, "AVX512F", "AVX512BW", "AVX512CD", "AVX512DQ", "AVX512VL")),
    ("x86-64-v3", _V3),
    ("x86-64-v2", ("SSE4_2", "SSSE3", "POPCNT")),
    ("x86-64", ("SSE2",)),
)
"""The levels of x86-64 and what the compiler must have of each, by the names of its macros."""


@dataclass(frozen=True, slots=True)
class CompilerDialect:
    """`pragmas`: which of OpenMP's are followed. `replaceable`: functions may be replaced when the program is loaded. `intel`:
    assembly is in Intel's syntax.
    """

    target: Target
    pragmas: Dialect
    fp: FloatMode
    strict_aliasing: bool
    replaceable: bool
    intel: bool


class Apart(Exception):
    """Why a file is left to the compiler."""


def dialect_of(compiler: Sequence[str], options: Sequence[str], target: str | None, fp: FloatMode | None) -> CompilerDialect:
    """The language and the machine under these options; `target` is the user's target for nests. Raises Apart."""
    macros = _macros(compiler, options)
    if "__OPTIMIZE__" not in macros:
        raise Apart("without optimization")
    for macro, value in _ALIGNED.items():
        if macros.get(macro) != value:
            raise Apart(f"{macro} is {macros.get(macro, 'not defined')}")
    if macros.get("__FLT_EVAL_METHOD__") not in ("0", "16", None):  # 16: where there is a _Float16; clang has no macro for it
        raise Apart("floating-point expressions are not evaluated in their own types")
    if "__CHAR_UNSIGNED__" in macros:
        raise Apart("plain char is unsigned")
    for macro in _INSTRUMENTED:
        if macro in macros:
            raise Apart(f"{macro} is defined")
    relaxed = "__FAST_MATH__" in macros
    contracted = _last(options, "-ffp-contract=") in ("fast", "on")
    return CompilerDialect(
        target=resolve_target(target) if target is not None else _target(macros, options),
        pragmas=Dialect("_OPENMP" in macros, "-fopenmp-simd" in options),
        fp=fp or ("fast" if relaxed else "contract" if contracted else "strict"),
        strict_aliasing=_aliases_by_type(options),
        replaceable="__PIC__" in macros and "__PIE__" not in macros and "-fno-semantic-interposition" not in options,
        intel=_last(options, "-masm=") == "intel",
    )


def _macros(compiler: Sequence[str], options: Sequence[str]) -> Mapping[str, str]:
    call = [*compiler, *options, "-dM", "-E", "-x", "c", "/dev/null"]
    done = subprocess.run(call, capture_output=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode:
        raise Apart("the compiler does not list its macros")
    return {match[1]: match[2] for match in map(_MACRO.match, done.stdout.splitlines()) if match is not None}


def _last(options: Sequence[str], prefix: str) -> str | None:
    return next((word.removeprefix(prefix) for word in reversed(options) if word.startswith(prefix)), None)


def _aliases_by_type(options: Sequence[str]) -> bool:
    """Whether type-based alias analysis is on, as in gcc from -O2 on."""
    level = next((w for w in reversed(options) if re.fullmatch(r"-O\w*", w)), "-O0")
    said = next((w for w in reversed(options) if w in ("-fstrict-aliasing", "-fno-strict-aliasing")), None)
    return said == "-fstrict-aliasing" or (said is None and level not in ("-O0", "-O", "-O1", "-Og"))


def _target(macros: Mapping[str, str], options: Sequence[str]) -> Target:
    if "__aarch64__" in macros:
        return resolve_target("neon")
    if "__x86_64__" not in macros or "__LP64__" not in macros:
        raise Apart("the machine is neither x86-64 nor AArch64")
    level = next((name for name, needed in _LEVELS if all(f"__{word}__" in macros for word in needed)), None)
    if level is None:
        raise Apart("the processor has no SSE2")
    best = resolve_target(level)
    named = _last(options, "-march=")
    if named is None:
        return best
    try:
        target = resolve_target(named)
    except UnknownTarget:
        return best
    # options behind -march may take instruction sets away again
    return target if target.register_bits <= best.register_bits and target.fma <= best.fma else best
