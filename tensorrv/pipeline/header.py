"""The C header of a compiled kernel: the function's prototype, for C and for C++ (which lacks arrays of variable length)."""

from __future__ import annotations

from typing import Final

from tensorrv.interface.storage.runs import ROWS, Storages
from tensorrv.unit.elements import Element, Number, Record
from tensorrv.unit.parameter import Parameter
from tensorrv.unit.unit import Unit

CPP_KEYWORDS: Final = frozenset(
    """alignas alignof and and_eq asm bitand bitor bool catch char8_t char16_t char32_t class co_await co_return co_yield compl
    concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export false friend mutable namespace
    new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires static_assert
    static_cast template this thread_local throw true try typeid typename using virtual wchar_t xor xor_eq""".split()
)
"""Keywords of C++ that C programs use as names."""


def header_text(function: Unit, target: str, storages: Storages = ROWS, *, openmp: bool = False) -> str:
    """A header that declares `function`; its `declare simd` pragmas declare the vector versions for other compilers.

    Comments give the offsets of elements of arrays with a layout, and whether the object must be linked with OpenMP.
    """
    pragmas = "".join(f"{declaration.pragma}\n" for declaration in function.simd)
    link = " Runs in threads: link with -fopenmp." if openmp else ""
    guard = f"TENSORRV_{function.name}_{target}_H".upper().replace("-", "_").replace(".", "_")
    return f"""/* {function.name} for {target}; {_role(storages)}{link} */
#ifndef {guard}
#define {guard}

{_structs(function)}#ifdef __cplusplus
{pragmas}extern "C" {_plain_prototype(function)}
#else
{pragmas}{function.prototype}
#endif

#endif
"""


def _role(storages: Storages) -> str:
    if not storages:
        return "replaces the C function of this name."
    lines = ["the C function of this name, with arrays that are not row-major:"]
    for name, storage in storages.items():
        lengths = ["?" if n is None else n.readable({s: s.name for s in n.symbols}) for n in storage.lengths]
        names = [f"i{k}" for k in range(storage.address.rank)]
        element = name + "".join(f"[{index}]" for index in names)
        lines.append(f"   {name} in layout {storage.layout}: {element} is at offset {storage.address.text(names, lengths)};")
        if "?" not in lengths:
            lines.append(f"   {' ' * len(name)} it stores {storage.address.extent_text(lengths)} elements.")
    return "\n".join(lines)


def _plain_prototype(function: Unit) -> str:
    result = _result_text(function.result)
    if function.records:
        return function.prototype.replace("restrict ", "")
    name = _plain_name(function.name)
    label = "" if name == function.name else f' __asm__("{function.name}")'
    return f"{result} {name}({', '.join(map(_plain_parameter, function.parameters))}){label};"


def _result_text(result: Number | None) -> str:
    return "void" if result is None else _name(result)


def _plain_parameter(parameter: Parameter) -> str:
    name = _plain_name(parameter.name)
    if parameter.rank == 0:
        return f"{_name(parameter.element)} {name}"
    return f"{'const ' if parameter.const else ''}{_name(parameter.element)} *{name}"


def _plain_name(name: str) -> str:
    """A name of C's that means something else in C++ gets an underscore."""
    return f"{name}_" if name in CPP_KEYWORDS else name


def _name(type_: Element) -> str:
    if isinstance(type_, Record):
        return f"struct {type_.tag}" if type_.tag else "void"
    return "bool" if type_.c_type == "_Bool" else type_.c_type


def _structs(function: Unit) -> str:
    """Declarations of the structs that parameters point to: their members are the caller's business."""
    elements = (p.element for p in function.parameters)
    tags = dict.fromkeys(e.tag for e in elements if isinstance(e, Record) and e.tag)
    return "".join(f"struct {tag};\n" for tag in tags)
