"""The C header of a compiled kernel: the function's prototype, for C and for C++ (which lacks arrays of variable length)."""

from __future__ import annotations

from tensorrv.frontend.c_types import FloatingC, IntegerC
from tensorrv.frontend.module import CFunction, CParameter


def header_text(function: CFunction, target: str) -> str:
    """A header that declares `function`."""
    guard = f"TENSORRV_{function.name}_{target}_H".upper().replace("-", "_").replace(".", "_")
    return f"""/* {function.name} for {target}; replaces the C function of this name. */
#ifndef {guard}
#define {guard}

#ifdef __cplusplus
extern "C" {_plain_prototype(function)}
#else
{function.prototype.removeprefix("static ").removeprefix("inline ")}
#endif

#endif
"""


def _plain_prototype(function: CFunction) -> str:
    result = "void" if function.result is None else _name(function.result)
    return f"{result} {function.name}({', '.join(map(_plain_parameter, function.parameters))});"


def _plain_parameter(parameter: CParameter) -> str:
    if parameter.rank == 0:
        return f"{_name(parameter.element)} {parameter.name}"
    return f"{'const ' if parameter.const else ''}{_name(parameter.element)} *{parameter.name}"


def _name(type_: IntegerC | FloatingC) -> str:
    return "bool" if type_.name == "_Bool" else type_.name
