"""A file with the nests of its functions as functions of their own, analysed by the front end; nests are lowered one by one.

Behind each function stand its nests, all of them, whether inside of each other or not: where an outer one cannot be compiled,
the next ones can. Of the file's own functions only those remain that nests may call. Static variables count as the program's,
since functions of nests are given their addresses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from pycparser import c_ast

from rv.ir.instructions import Call
from rv.ir.libm import signature
from tensorrv.frontend.c.analyse.functions import Program, analyse
from tensorrv.frontend.c.analyse.scope import Variable, given_symbol
from tensorrv.frontend.c.failures import Unsupported
from tensorrv.frontend.c.module import c_function, deep_recursion, free_name
from tensorrv.frontend.c.parse.parser import parse
from tensorrv.frontend.c.parse.syntax import External, Syntax
from tensorrv.frontend.c.preprocess.preprocessor import Preprocessed
from tensorrv.frontend.c.types.attributes import other_meaning
from tensorrv.frontend.outline.functions import NestFunction, function_of
from tensorrv.frontend.outline.interface import CannotPass, Interfaces
from tensorrv.frontend.outline.names import Names, names_in, nodes_in
from tensorrv.frontend.outline.nests import Nest, closed_to_outlining, nests_of
from tensorrv.frontend.outline.pragmas import Dialect, is_openmp
from tensorrv.frontend.outline.shapes import Shapes
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.unit.symbols import GlobalSymbol
from tensorrv.unit.unit import Unit

_REPLACED: Final = frozenset(f"{under}{name}{under}" for name in ("weak", "ifunc", "alias", "weakref") for under in ("", "__"))


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """A nest where it stands: in `function`, at `line` of `file`. `made` is its function; None: `obstacle` is the reason."""

    function: str
    nest: Nest
    made: NestFunction | None
    obstacle: Diagnostic | None
    inside: tuple[Site, ...]
    hiding: frozenset[str]
    """Names that stand for something else in the function than outside of it, perhaps."""


@dataclass(frozen=True, slots=True)
class Lowered:
    """A nest's function as P-LLVM. `addresses` are C's names of the objects whose addresses follow the arguments."""

    source: Unit
    addresses: tuple[str, ...]
    objects: tuple[GlobalSymbol, ...]


@dataclass(frozen=True, slots=True)
class OutlinedFile:
    """The nests of a file, outermost ones first, with what is needed to compile them. `closed` are functions left alone."""

    sites: tuple[Site, ...]
    closed: tuple[tuple[str, Diagnostic], ...]
    syntax: Syntax
    source: Preprocessed
    program: Program
    temporary: str

    def lowered(self, site: Site) -> Lowered | Diagnostic:
        """The function of a nest, or why there is none."""
        if site.made is None:
            assert site.obstacle is not None
            return site.obstacle
        name = site.made.name
        typed = self.program.functions.get(name)
        if typed is None:
            return self.program.unsupported[name]
        try:
            with deep_recursion():
                found = c_function(self.program, typed, self.temporary)
        except Unsupported as failure:
            return failure.diagnostic
        except Refused as refusal:
            return refusal.diagnostics[0]
        return _unknown_call(found) or self._given_addresses(site, replace(found, sources=self.source.sources))

    def _given_addresses(self, site: Site, source: Unit) -> Lowered | Diagnostic:
        """The function with the objects outside of it as parameters behind its own."""
        assert site.made is not None
        known = {s.symbol: name for name, s in self.program.names.items() if isinstance(s, Variable)}
        given = {given_symbol(p.local.name): p.local.name for p in site.made.passed if p.how == "object"}
        first = len(source.function.parameters) - len(source.symbols)
        pairs = list(zip(source.function.parameters[first:], source.symbols, strict=True))
        outside = [(p, s) for p, s in pairs if isinstance(s, GlobalSymbol)]
        rest = [(p, s) for p, s in pairs if not isinstance(s, GlobalSymbol)]
        names: list[str] = []
        for _, symbol in outside:
            name = given.get(symbol.name) or known.get(symbol.name, symbol.name)
            if symbol.name not in given and (name in site.hiding or not name.isidentifier()):
                message = f"the variable '{name}' of the program is hidden by one of the function"
                return Diagnostic("note", "TRV503", message, source.function.span)
            names.append(name)
        parameters = (*source.function.parameters[:first], *(p for p, _ in outside), *(p for p, _ in rest))
        described = tuple(s.described for _, s in outside)
        return Lowered(
            replace(
                source,
                function=replace(source.function, parameters=parameters),
                parameters=source.parameters + described,
                symbols=tuple(s for _, s in rest),
            ),
            tuple(names),
            tuple(s for _, s in outside),
        )


def outlined(source: Preprocessed, dialect: Dialect, prefix: str, *, replaceable: bool) -> OutlinedFile:
    """The nests of a preprocessed file; their functions' names begin with `prefix`.

    `replaceable`: functions that are not static may be others when the program runs, so that their bodies must not be used.
    """
    syntax = parse(source)
    with deep_recursion():
        return _Outlining(syntax, source, dialect, prefix, replaceable=replaceable).file()


class _Outlining:
    def __init__(self, syntax: Syntax, source: Preprocessed, dialect: Dialect, prefix: str, *, replaceable: bool) -> None:
        self.syntax, self.source, self.dialect = syntax, source, dialect
        self.prefix, self.replaceable = prefix, replaceable
        self.number = 0
        nodes = [node for external in syntax.externals for node in external.nodes]
        self.shapes = Shapes({node.name: node.type for node in nodes if isinstance(node, c_ast.Typedef)})
        declared = [node for node in nodes if not isinstance(node, c_ast.FuncDef)]
        every = (inner for node in declared for inner in nodes_in(node))
        self.constants = frozenset(node.name for node in every if isinstance(node, c_ast.Enumerator))

    def file(self) -> OutlinedFile:
        sites: list[Site] = []
        closed: list[tuple[str, Diagnostic]] = []
        made: dict[int, list[Any]] = {}
        for external in self.syntax.externals:
            for node in external.nodes:
                if isinstance(node, c_ast.FuncDef) and self._is_users(node):
                    own = self._function(external, node, closed)
                    sites += own
                    made[id(external)] = [site.made.tree for site in _every(own) if site.made is not None]
        called = self._called([tree for trees in made.values() for tree in trees])
        externals = [part for external in self.syntax.externals for part in self._kept(external, called, made)]
        syntax = replace(self.syntax, externals=externals)
        return OutlinedFile(tuple(sites), tuple(closed), syntax, self.source, analyse(syntax), free_name(syntax))

    def _is_users(self, node: Any) -> bool:
        span = self.syntax.span(node.decl)
        return span is None or span.file not in self.source.system

    def _function(self, external: External, node: Any, closed: list[tuple[str, Diagnostic]]) -> list[Site]:
        names = names_in(node)
        found = nests_of(self.syntax, names, self.dialect)
        if not found:
            return []
        reason = closed_to_outlining(self.syntax, names, external) or other_meaning(self.syntax, external)
        if reason is not None:
            closed.append((node.decl.name, reason))
            return []
        interfaces = Interfaces(self.syntax, names, self.shapes, self.constants)
        return [self._site(names, nest, interfaces) for nest in found]

    def _site(self, names: Names, nest: Nest, interfaces: Interfaces) -> Site:
        function = names.definition.decl.name
        hiding = frozenset(local.name for local in names.locals if local.kind != "extern")
        inside = tuple(self._site(names, inner, interfaces) for inner in nest.inside)
        if nest.obstacle is not None:
            return Site(function, nest, None, nest.obstacle, inside, hiding)
        try:
            passed = interfaces.of(nest)
        except CannotPass as failure:
            return Site(function, nest, None, failure.diagnostic, inside, hiding)
        self.number += 1
        return Site(function, nest, function_of(f"{self.prefix}_{self.number}", nest, passed, self.dialect), None, inside, hiding)

    def _called(self, trees: list[Any]) -> frozenset[str]:
        """The functions of the file that trees call, directly or not."""
        bodies = {n.decl.name: n.body for e in self.syntax.externals for n in e.nodes if isinstance(n, c_ast.FuncDef)}
        found: set[str] = set()
        waiting = list(trees)
        while waiting:
            for node in nodes_in(waiting.pop()):
                if isinstance(node, c_ast.ID) and node.name in bodies and node.name not in found:
                    found.add(node.name)
                    waiting.append(bodies[node.name])
        return frozenset(found)

    def _kept(self, external: External, called: frozenset[str], made: dict[int, list[Any]]) -> Iterator[External]:
        """A piece of the file as nests need it, and the nests of its function."""
        nodes = [self._needed(external, node, called) for node in external.nodes]
        yield replace(external, nodes=[node for node in nodes if node is not None])
        trees = made.get(id(external), [])
        if trees:
            yield replace(external, nodes=trees)

    def _needed(self, external: External, node: Any, called: frozenset[str]) -> Any:
        match node:
            case c_ast.FuncDef(decl=head) if head.name not in called or self._may_be_another(external, head):
                return head
            case c_ast.Decl(storage=storage) if not isinstance(node.type, c_ast.FuncDecl):
                kept = [word for word in storage if word not in ("static", "_Thread_local", "__thread")]
                if len(kept) == len(storage):
                    return node
                return c_ast.Decl(node.name, node.quals, node.align, kept, node.funcspec, node.type, node.init, None, node.coord)
            case c_ast.Pragma() if is_openmp(node):
                # about variables and functions, which nests are given as the thread has them
                return None
            case _:
                return node

    def _may_be_another(self, external: External, head: Any) -> bool:
        """Whether a call of a function may lead to another one than this definition."""
        words = {self.syntax.tokens[n].text for n in self.syntax.attributes if external.low <= n < external.high}
        return bool(words & _REPLACED) or (self.replaceable and "static" not in head.storage and "inline" not in head.funcspec)


def _every(sites: list[Site] | tuple[Site, ...]) -> Iterator[Site]:
    for site in sites:
        yield site
        yield from _every(site.inside)


def _unknown_call(source: Unit) -> Diagnostic | None:
    """A call of a function that is neither inlined nor of libm."""
    for block in source.function.blocks:
        for instruction in block.body:
            if isinstance(instruction, Call) and signature(instruction.callee) is None:
                message = f"the nest calls '{instruction.callee}', whose body is not known"
                return Diagnostic("note", "TRV504", message, instruction.span, "called here")
    return None
