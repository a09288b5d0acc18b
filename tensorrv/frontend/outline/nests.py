"""The loops of a function that could be outlined, and what keeps one from that, as far as the syntax shows it.

A nest is left at its end only, and entered at its beginning: no `return`, no `goto` across its borders, no `case` of a switch
around.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pycparser import c_ast

from tensorrv.frontend.c.parse.lexer import ASSEMBLY
from tensorrv.frontend.c.parse.syntax import External, Syntax
from tensorrv.frontend.outline.names import Names, nodes_in
from tensorrv.frontend.outline.pragmas import Dialect, called, on_device
from tensorrv.report.diagnostics import Diagnostic

LOOPS: Final = (c_ast.For, c_ast.While, c_ast.DoWhile)

_RETURNING_TWICE: Final = frozenset(
    "setjmp _setjmp sigsetjmp __sigsetjmp __builtin_setjmp vfork getcontext alloca __builtin_alloca "
    "__builtin_apply_args __builtin_return".split()
)
_LIBRARY: Final = frozenset("memset memcpy memmove memcmp bcopy bzero strlen".split())
"""Functions that code for loops may call, and which must not be made of such code."""
_ATTRIBUTES: Final = frozenset(
    f"{under}{name}{under}"
    for name in "target target_clones optimize naked interrupt simd no_sanitize ifunc optnone".split()
    for under in ("", "__")
)


@dataclass(frozen=True, slots=True, eq=False)
class Nest:
    """A loop with all that is in it. `pragmas` stand directly before it; `around` are those of the statements around it.

    `obstacle` is the reason why it cannot be outlined, if one is known already. `inside` are the outermost loops in its body.
    """

    node: Any
    pragmas: tuple[Any, ...]
    around: tuple[Any, ...]
    obstacle: Diagnostic | None
    inside: tuple[Nest, ...]


def nests_of(syntax: Syntax, names: Names, dialect: Dialect) -> tuple[Nest, ...]:
    """The outermost loops of a function."""
    return tuple(_Search(syntax, names, dialect).nests(names.definition.body, (), ()))


def closed_to_outlining(syntax: Syntax, names: Names, external: External) -> Diagnostic | None:
    """Why nothing of a function can be outlined: its effects are not in its syntax tree, or it returns twice."""
    definition = names.definition
    if definition.param_decls:
        return Diagnostic("note", "TRV502", "parameters are declared in the old style", syntax.span(definition.decl))
    if definition.decl.name in _LIBRARY:
        message = f"code for its loops might call '{definition.decl.name}'"
        return Diagnostic("note", "TRV502", message, syntax.span(definition.decl))
    for number in syntax.attributes:
        if external.low <= number < external.high and syntax.tokens[number].text in _ATTRIBUTES:
            token = syntax.tokens[number]
            return Diagnostic("note", "TRV502", f"the attribute '{token.text}' must be handled by the C compiler", token.span)
    for node in nodes_in(definition.body):
        match node:
            case c_ast.FuncCall(name=c_ast.ID(name=name)) if name in _RETURNING_TWICE:
                return Diagnostic("note", "TRV502", f"the function calls '{name}'", syntax.span(node), "called here")
            case c_ast.FuncCall(name=c_ast.ID(name=name)) if name in ASSEMBLY:
                return Diagnostic("note", "TRV502", "the function contains assembly", syntax.span(node), "here")
            case c_ast.UnaryOp(op="&&"):
                return Diagnostic("note", "TRV502", "the function takes the address of a label", syntax.span(node), "here")
            case c_ast.Goto(name=name) if not isinstance(name, str):
                return Diagnostic("note", "TRV502", "the function contains a computed goto", syntax.span(node), "here")
            case c_ast.FuncDef() if node is not definition:
                return Diagnostic("note", "TRV502", "a function is defined inside of the function", syntax.span(node))
            case _:
                pass
    return None


@dataclass(frozen=True, slots=True)
class _Search:
    syntax: Syntax
    names: Names
    dialect: Dialect

    def nests(self, node: Any, pragmas: tuple[Any, ...], around: tuple[Any, ...]) -> Iterator[Nest]:
        """The outermost loops in a statement; `pragmas` stand directly before it."""
        match node:
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                inside = tuple(self.nests(node.stmt, (), self._around(around, pragmas)))
                obstacle = (
                    self._divided(node, pragmas) or self._on_device(node, around) or self._crossed(node) or self._construct(node)
                )
                yield Nest(node, pragmas, around, obstacle, inside)
            case c_ast.Compound():
                yield from self._items(node.block_items or [], self._around(around, pragmas))
            case c_ast.If():
                yield from self._parts((node.iftrue, node.iffalse), self._around(around, pragmas))
            case c_ast.Switch():
                yield from self._parts((node.stmt,), self._around(around, pragmas))
            case c_ast.Label():
                yield from self._parts((node.stmt,), self._around(around, pragmas))
            case c_ast.Case() | c_ast.Default():
                yield from self._items(node.stmts or [], self._around(around, pragmas))
            case _:
                pass

    def _items(self, items: Sequence[Any], around: tuple[Any, ...]) -> Iterator[Nest]:
        waiting: tuple[Any, ...] = ()
        for item in items:
            if isinstance(item, c_ast.Pragma):
                meaning = self.dialect.meaning(item)
                waiting = () if meaning == "alone" else waiting if meaning == "nothing" else (*waiting, item)
                continue
            yield from self.nests(item, waiting, around)
            waiting = ()

    def _parts(self, parts: Sequence[Any], around: tuple[Any, ...]) -> Iterator[Nest]:
        for part in parts:
            if part is not None:
                yield from self.nests(part, (), around)

    def _around(self, around: tuple[Any, ...], pragmas: tuple[Any, ...]) -> tuple[Any, ...]:
        """With the pragmas of a statement that apply to threads."""
        return (*around, *(pragma for pragma in pragmas if self.dialect.meaning(pragma) in ("loop", "statement")))

    def _on_device(self, node: Any, around: tuple[Any, ...]) -> Diagnostic | None:
        if any(map(on_device, around)):
            return self._note("TRV501", "the nest may run on a device", node)
        return None

    def _divided(self, node: Any, pragmas: tuple[Any, ...]) -> Diagnostic | None:
        for pragma in pragmas:
            if self.dialect.meaning(pragma) == "loop":
                return self._note("TRV501", f"the loop belongs to '{called(pragma)}', which is left to the C compiler", node)
        return None

    def _construct(self, node: Any) -> Diagnostic | None:
        """What of OpenMP's constructs is inside of a nest."""
        for inner in nodes_in(node.stmt):
            if isinstance(inner, c_ast.Pragma) and self.dialect.meaning(inner) in ("loop", "statement", "alone"):
                return self._note("TRV501", f"the nest contains '{called(inner)}', which is left to the C compiler", inner)
        return None

    def _crossed(self, nest: Any) -> Diagnostic | None:
        """Where control crosses the borders of a nest."""
        labels = {node.name for node in nodes_in(nest) if isinstance(node, c_ast.Label)}
        for node in nodes_in(nest):
            match node:
                case c_ast.Return():
                    return self._note("TRV500", "the nest is left by a return", node)
                case c_ast.Goto(name=name) if name not in labels:
                    return self._note("TRV500", "the nest is left by a goto", node)
                case c_ast.Case() | c_ast.Default() if not self._in_switch(node, nest):
                    return self._note("TRV500", "a switch around the nest jumps into it", node)
                case _:
                    pass
        if labels:
            for node in nodes_in(self.names.definition.body):
                if isinstance(node, c_ast.Goto) and node.name in labels and not self.names.is_within(node, nest):
                    return self._note("TRV500", "a goto from outside jumps into the nest", node)
        return None

    def _in_switch(self, node: Any, nest: Any) -> bool:
        for outer in self.names.around(node):
            if isinstance(outer, c_ast.Switch):
                return True
            if outer is nest:
                return False
        return False

    def _note(self, code: str, message: str, node: Any) -> Diagnostic:
        return Diagnostic("note", code, message, self.syntax.span(node))
