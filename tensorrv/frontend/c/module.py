"""The front end's result, and the one function that makes it: C text to functions of scalar SSA P-LLVM.

    preprocess -> parse -> analyse (types, names) -> lower (SSA)

Restrictions and choices that C leaves open: `char` is signed (as on x86; on AArch64 a C compiler would make it unsigned unless
chosen otherwise), integers have the sizes of LP64, floating-point expressions are evaluated in their own type, in order.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from rv.ir.function import Block, Function, Parameter
from rv.ir.instructions import Call, Load
from rv.ir.types import PTR
from rv.ir.values import Var
from rv.transform.scalar.blocks import simplify_blocks
from rv.transform.scalar.dead import eliminate_dead_code
from tensorrv.frontend.c.analyse.functions import Program, analyse
from tensorrv.frontend.c.analyse.scope import Variable
from tensorrv.frontend.c.failures import Unsupported, give_up, refuse, refuse_depth
from tensorrv.frontend.c.interface import parameters_of, passed_numbers, records_of, result_of, symbol_of
from tensorrv.frontend.c.lower import objects as lower_objects
from tensorrv.frontend.c.lower import records as lower_records
from tensorrv.frontend.c.lower import statements as lower_statements
from tensorrv.frontend.c.lower.escapes import refuse_escapes
from tensorrv.frontend.c.lower.irreducible import refuse_irreducible
from tensorrv.frontend.c.lower.naming import number_densely
from tensorrv.frontend.c.lower.ssa import Slot, SsaBuilder
from tensorrv.frontend.c.lower.state import Frame, Lowering, plain_name
from tensorrv.frontend.c.parse.nesting import deepest_place
from tensorrv.frontend.c.parse.parser import parse
from tensorrv.frontend.c.parse.syntax import Syntax
from tensorrv.frontend.c.preprocess.compiler_text import compiler_text
from tensorrv.frontend.c.preprocess.preprocessor import Preprocessed, preprocess
from tensorrv.frontend.c.tree.nodes import TypedFunction
from tensorrv.frontend.c.tree.symbols import GlobalVariable
from tensorrv.frontend.c.tree.walk import has_loop
from tensorrv.frontend.c.types.attributes import refuse_macro_changes
from tensorrv.frontend.c.types.c_text import prototype_text
from tensorrv.frontend.c.types.c_types import (
    PointerC,
    StructC,
    VoidC,
    machine_type,
    size_of_type,
)
from tensorrv.frontend.c.types.object_parts import has_hidden
from tensorrv.frontend.object_places import place_allocas
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.unit.symbols import StackSymbol, Symbol
from tensorrv.unit.unit import Module, Unit

DEEPEST: Final = 6000
"""Python calls on top of each other while a file is read: enough for sums of a thousand terms."""


def parse_c(
    source: Path | str,
    *,
    text: str | None = None,
    defines: Sequence[tuple[str, str]] = (),
    include_dirs: Sequence[Path] = (),
    cpp: str | None = None,
) -> Module:
    """Read a C file, or `text` as if it were in a file called `source`. `cpp` is a compiler that preprocesses it ("gcc").

    `defines` are macros with their values, as with -D. Raises Refused (with all the errors that were found) when the file has
    errors and no function that could be compiled, or cannot be preprocessed; other functions are passed over.
    """
    path = Path(source)
    if text is None:
        text = _read(path)
    sources: dict[str, str] = {str(source): text}
    try:
        with deep_recursion():
            return _read_module(preprocessed(str(source), text, defines, include_dirs, path.parent, sources, cpp))
    except Refused as refusal:
        refusal.sources = sources
        raise


def preprocessed(
    name: str,
    text: str,
    defines: Sequence[tuple[str, str]],
    include_dirs: Sequence[Path],
    directory: Path,
    sources: dict[str, str],
    cpp: str | None,
) -> Preprocessed:
    """The text after preprocessing, by our own preprocessor unless a compiler is named."""
    if cpp is None:
        return preprocess(name, text, defines, include_dirs, directory, sources)
    return compiler_text(cpp, name, text, defines, include_dirs, directory, sources)


def _read_module(source: Preprocessed) -> Module:
    try:
        return _module(source)
    except RecursionError:
        refuse_depth(deepest_place(source))


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Room for long expressions: a sum of n terms is a tree of depth n."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", errors="replace").removeprefix("\ufeff").replace("\r\n", "\n")
    except OSError as error:
        refuse("TRV001", f"cannot read '{path}': {error.strerror or error}", None)


def _module(source: Preprocessed) -> Module:
    if not source.by_compiler:
        refuse_macro_changes(source)
    syntax = parse(source)
    program = analyse(syntax)
    temporary = free_name(syntax)
    functions: list[Unit] = []
    passed_over: dict[str, Diagnostic] = dict(program.unsupported)
    for name in [name for name, span in program.places.items() if span is not None and span.file in source.system]:
        passed_over.pop(name, None)  # a system's own functions are only there to be inlined
    for typed in program.functions.values():
        if typed.span is not None and typed.span.file in source.system:
            continue
        if typed.internal and isinstance(typed.result, StructC):
            continue  # only there to be inlined
        try:
            functions.append(replace(c_function(program, typed, temporary), sources=source.sources))
        except Unsupported as failure:
            passed_over[typed.name] = failure.diagnostic
        except Refused as refusal:
            passed_over[typed.name] = refusal.diagnostics[0]
    order = {function: number for number, function in enumerate(program.order)}
    reasons = tuple(sorted(passed_over.items(), key=lambda item: order[item[0]]))
    problems = tuple(p for p in program.problems if p.span is None or p.span.file not in source.system)
    errors = [reason for reason in (*problems, *(reason for _, reason in reasons)) if reason.severity == "error"]
    if errors and not functions:
        raise Refused(*dict.fromkeys(errors))
    main = next(iter(source.sources))
    internal = tuple((f.name, f.span) for f in program.functions.values() if f.internal and _matters(f, main, source))
    return Module(tuple(functions), reasons, problems, internal, source.sources)


def _matters(typed: TypedFunction, main: str, source: Preprocessed) -> bool:
    """Whether a static function that is not compiled is reported: headers contain many small ones that are not used."""
    file = main if typed.span is None else typed.span.file
    return file == main or (file not in source.system and has_loop(typed.body))


def free_name(syntax: Syntax) -> str:
    """A name for temporaries that no variable of the source has."""
    taken = {name for token in syntax.tokens for name in (token.text, plain_name(token.text))}
    return next(name for name in ("t", "tmp", "temp", *(f"t_{k}" for k in range(len(taken) + 1))) if name not in taken)


def _check_records(typed: TypedFunction) -> None:
    """Gives up where structs are passed or returned in an unsupported form."""
    if isinstance(typed.result, StructC):
        give_up(
            "TRV030",
            f"'{typed.name}' returns a struct",
            typed.span,
            "it can only be inlined into its callers",
            hint="return it through a pointer; declare functions static that are only called from this file",
        )
    given = next((p.variable for p in typed.parameters if isinstance(p.variable.type, StructC)), None)
    if given is not None and (typed.simd or not size_of_type(given.type) or has_hidden(given.type)):
        give_up("TRV030", f"the struct '{given.name}' cannot be passed by value", given.span, "a struct", hint="pass a pointer")


def c_function(program: Program, typed: TypedFunction, temporary: str) -> Unit:
    """A function of the file as P-LLVM; `temporary` is a name that none of its variables has. Raises Unsupported and Refused."""
    _check_records(typed)
    function, symbols, inlined = _lowered(program, typed, temporary)
    return Unit(
        function,
        prototype_text(typed.name, typed.result, typed.parameters) + ";",
        parameters_of(typed),
        result_of(typed.result),
        typed.internal,
        typed.simd,
        inlined,
        symbols,
        records_of(typed),
        typed.notes,
    )


def _lowered(program: Program, typed: TypedFunction, temporary: str) -> tuple[Function, tuple[Symbol, ...], frozenset[str]]:
    builder = SsaBuilder(temporary)
    result = machine_type(typed.result)
    slot = None if isinstance(typed.result, VoidC) else Slot("", result, typed.span)
    frame = Frame(typed.name, builder.new_block("return"), slot)
    frame.in_memory = typed.in_memory
    lowering = Lowering(program, builder, frame)
    frame.given_away = lower_objects.given_away(lowering, typed)
    parameters: list[Parameter] = []
    given: list[tuple[Variable, list[Var]]] = []
    for parameter in typed.parameters:
        variable = parameter.variable
        own = [builder.named(plain_name(name), machine_type(type_)) for name, type_ in passed_numbers(variable)]
        given.append((variable, own))
        restrict = isinstance(variable.type, PointerC) and variable.type.restrict
        parameters += [Parameter(var, restrict, span=variable.span) for var in own]
    for variable, own in given:
        if variable in frame.in_memory:
            lower_objects.declare(lowering, variable, None, variable.span)
            lower_objects.bind(lowering, variable, own)
        elif isinstance(variable.type, StructC):
            lower_records.bind(lowering, variable, own)
        else:
            builder.write(frame.slot(variable), own[0])
    lower_statements.body(lowering, typed)
    builder.place(frame.exit)
    builder.leave(None if slot is None else builder.read(slot), typed.span)
    blocks = builder.finish()
    loads_pointers = _loads_pointers(blocks)
    lowering.symbols.sort(key=lambda item: not (isinstance(item[1], GlobalVariable) and item[1].defined))
    for var, symbol in lowering.symbols:
        parameters.append(Parameter(var, restrict=isinstance(symbol, StackSymbol) and not loads_pointers, own=True))
    function = Function(typed.name, tuple(parameters), result, blocks, typed.span)
    if lowering.jumps:
        refuse_irreducible(function)
    if typed.simd and lowering.orders:
        message = f"'{typed.name}' is declared simd, but lanes of a vector version would depend on each other: {lowering.orders}"
        give_up("TRV044", message, typed.span, "no vector version")
    function = place_allocas(function, lowering.allocas)
    refuse_escapes(function)
    finished = number_densely(eliminate_dead_code(simplify_blocks(function)), temporary)
    behind = finished.parameters[len(finished.parameters) - len(lowering.symbols) :]
    symbols = tuple(symbol_of(p.var, s) for p, (_, s) in zip(behind, lowering.symbols, strict=True))
    return finished, symbols, frozenset(lowering.inlined)


def _loads_pointers(blocks: Sequence[Block]) -> bool:
    """Whether a function gets pointers from memory or from calls, which might lead to memory whose address a call got."""
    return any(i.result is not None and i.result.type == PTR and isinstance(i, Load | Call) for b in blocks for i in b.body)
