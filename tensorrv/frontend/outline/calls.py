"""C text that calls the function of a nest, put before the nest in the text of the file.

    for (i = 0; i < n; i++) s += a[i];

    { if (1) { double s_trv_out; extern void f_trv1(int, double, void *, void *); f_trv1(n, s, &s_trv_out, a); s = s_trv_out; }
      else for (i = 0; i < n; i++) s += a[i]; }

All of that is on the line where the nest begins, so that lines keep their numbers. The nest itself stays: the compiler checks
that it is never executed, but still that its variables are used, and warns about it as before. Sizes of variables are compared
with those that the front end has found, and a compiler that finds others refuses the text.
"""

from __future__ import annotations

from dataclasses import dataclass

from rv.ir.types import F32, F64, PTR, IntType, Type, size_of
from tensorrv.frontend.outline.extents import loop_extent, pragma_line
from tensorrv.frontend.outline.functions import result_name
from tensorrv.frontend.outline.program import Lowered, OutlinedFile, Site

_INTEGERS = {1: "char", 8: "char", 16: "short", 32: "int", 64: "long"}


@dataclass(frozen=True, slots=True)
class Insertion:
    """Text to be put at an offset."""

    offset: int
    text: str


def c_type(type_: Type) -> str:
    """The C type that is passed as a number of P-LLVM is."""
    match type_:
        case IntType(bits=bits):
            return _INTEGERS[bits]
        case _ if type_ == F32:
            return "float"
        case _ if type_ == F64:
            return "double"
        case _ if type_ == PTR:
            return "void *"
        case _:
            raise ValueError(f"{type_} is passed by no nest")


def call_of(site: Site, lowered: Lowered) -> str:
    """The block that calls the function of a nest."""
    assert site.made is not None
    own = site.made.arguments
    types = [p.var.type for p in lowered.source.function.parameters[: len(own) + len(lowered.addresses)]]
    given = [_argument(a.name, t, is_result=a.is_result) for a, t in zip(own, types, strict=False)]
    given += [f"(void *)&{name}" for name in lowered.addresses]
    results = [a.name for a in own if a.is_result]
    lines = [f"__typeof__({name}) {result_name(name)};" for name in results]
    lines.append(f"extern void {site.made.name}({', '.join(map(c_type, types)) or 'void'});")
    lines.append(_agreement(site, lowered))
    lines.append(f"{site.made.name}({', '.join(given)});")
    lines += [f"{name} = {result_name(name)};" for name in results]
    return " ".join(lines)


def insertions(file: OutlinedFile, site: Site, test: str, call: str) -> tuple[Insertion, ...]:
    """What replaces a nest: `call` where `test` holds."""
    start, end = loop_extent(file.syntax, site.nest.node)
    if not site.nest.pragmas:
        return Insertion(start, f"{{ if ({test}) {{ {call} }} else "), Insertion(end, " }")
    start, name, line = pragma_line(file.syntax, site.nest.pragmas[0])
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    marker = f'# {line} "{quoted}"\n'
    return Insertion(start, f"{{ if ({test}) {{ {call} }} else {{\n{marker}"), Insertion(end, " } }")


def inserted(text: str, found: list[Insertion]) -> str:
    """The text with all insertions."""
    parts: list[str] = []
    before = 0
    for one in sorted(found, key=lambda one: one.offset):
        parts += [text[before : one.offset], one.text]
        before = one.offset
    return "".join([*parts, text[before:]])


def _argument(name: str, type_: Type, *, is_result: bool) -> str:
    if is_result:
        return f"(void *)&{result_name(name)}"
    return f"(void *)({name})" if type_ == PTR else name


def _agreement(site: Site, lowered: Lowered) -> str:
    """A declaration that is wrong if the compiler's types are not those of the front end."""
    assert site.made is not None
    tests: list[str] = []
    function = lowered.source.function
    for argument, parameter in zip(site.made.arguments, function.parameters, strict=False):
        if not argument.is_result and parameter.var.type != PTR:
            tests.append(f"sizeof({argument.name}) == {size_of(parameter.var.type)}")
            if parameter.var.type in (F32, F64):
                tests.append(f"__builtin_types_compatible_p(__typeof__({argument.name}), {c_type(parameter.var.type)})")
    for name, symbol in zip(lowered.addresses, lowered.objects, strict=True):
        if symbol.size:
            tests.append(f"sizeof({name}) == {symbol.size}")
    return f"extern char {site.made.name}_agrees[{' && '.join(tests)} ? 1 : -1];" if tests else ""
