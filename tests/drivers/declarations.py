"""The functions of declared.c with what their pragmas say."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from rv.target.machine import Target
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.drivers.declared import signatures_of
from tensorrv.pipeline.drivers.vector_abi import Signature
from tensorrv.unit.simd_declaration import SimdDeclaration
from tensorrv.unit.unit import Unit

HERE: Final = Path(__file__).parent
FUNCTIONS: Final = HERE / "declared.c"
LOOPS: Final = HERE / "loops.c"

DECLARATIONS: Final = {
    "polynomial": SimdDeclaration(inbranch=False),
    "guarded": SimdDeclaration(),
    "window": SimdDeclaration(uniform=("table",), linear=(("i", 1),), inbranch=False),
    "steps": SimdDeclaration(inbranch=True),
    "many": SimdDeclaration(simdlen=16),
    "wide": SimdDeclaration(simdlen=8),
    "mixed": SimdDeclaration(inbranch=False),
    "bytes": SimdDeclaration(),
    "strided": SimdDeclaration(uniform=("s",), linear=(("i", "s"),), inbranch=False),
    "through": SimdDeclaration(uniform=("k",), linear=(("p", 1), ("q", 2)), aligned=(("p", 8),), inbranch=False),
    "corners": SimdDeclaration(linear=(("i", 3), ("j", -2)), inbranch=False),
    "saturated": SimdDeclaration(),
    "wraps": SimdDeclaration(linear=(("u", 5),), inbranch=False),
    "gathered": SimdDeclaration(uniform=("t",)),
}
WITHOUT_ADVSIMD: Final = frozenset({"many", "wide", "mixed", "through", "corners", "gathered"})
"""gcc makes no version for AArch64: sizes differ, or the lanes are too many."""


def declared_functions(target: Target) -> tuple[Unit, ...]:
    """Those that have versions for the target."""
    left_out = WITHOUT_ADVSIMD if target.architecture == "aarch64" else frozenset()
    functions = parse_c(FUNCTIONS).functions
    assert {f.name: f.simd for f in functions} == {name: (declaration,) for name, declaration in DECLARATIONS.items()}
    return tuple(f for f in functions if f.name not in left_out)


def all_signatures(target: Target) -> tuple[Signature, ...]:
    """Every version of every function."""
    return tuple(s for f in declared_functions(target) for d in f.simd for s in signatures_of(f, d, target))
