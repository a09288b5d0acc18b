"""The linkage and interface of a compiled P-LLVM function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rv.ir.function import Function
from rv.ir.types import PointerType
from rv.vector import function as vector
from rv.vector.function import Extension, Parameter
from rv.vector.values import Register
from rv.vector.writer import FunctionWriter


@dataclass(frozen=True, slots=True)
class Linkage:
    """`extension` is how a result that is narrower than an int is widened; an `inlined` function is only there for others of its
    module, such as its `entry`, and may have another `name` than P-LLVM gives it. `data` is what the entry passes on.
    """

    extension: Extension = ""
    inlined: bool = False
    name: str = ""
    entry: tuple[vector.Function, ...] = ()
    data: tuple[vector.Data | vector.External, ...] = ()


EXTERNAL: Final = Linkage()


def parameters_of(function: Function) -> tuple[Parameter, ...]:
    """The parameters, with `restrict` for pointers."""
    return tuple(
        Parameter(Register(p.var.name, p.var.type), p.restrict and isinstance(p.var.type, PointerType))
        for p in function.parameters
    )


def writer_for(function: Function, linkage: Linkage) -> FunctionWriter:
    """A function of the vector IR with the interface of `function`, without blocks yet."""
    return FunctionWriter(
        linkage.name or function.name,
        parameters_of(function),
        function.result,
        internal=linkage.inlined,
        inlined=linkage.inlined,
        extension=linkage.extension,
    )
