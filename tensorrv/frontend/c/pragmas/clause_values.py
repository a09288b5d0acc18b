"""Names and numbers in the clauses of pragmas, with findings that point at them."""

from __future__ import annotations

import difflib
from typing import Any, Never

import pycparser
from pycparser import c_ast
from pycparser.c_parser import CParser

from tensorrv.frontend.c.analyse.scope import FunctionName, TypeName, Unusable, Variable
from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.failures import Unsupported, refuse
from tensorrv.frontend.c.foreign_errors import raised_in
from tensorrv.frontend.c.pragmas.directives import OF_COMPILERS
from tensorrv.frontend.c.pragmas.text import Clause, Directive, Malformed, Piece, parse_pragma, pragma_text
from tensorrv.frontend.c.tree.nodes import Expression, Literal


def read_pragma(a: Analysis, node: Any) -> Directive | None:
    """The directive of a pragma; None for what only a compiler follows. Refuses malformed ones."""
    try:
        found = parse_pragma(pragma_text(node))
        return found if found is None or found.openmp or found.name in OF_COMPILERS else None
    except Malformed as problem:
        refuse_at(a, node, problem.message, problem.place, problem.label, problem.hint)


def refuse_at(a: Analysis, node: Any, message: str, place: Piece, label: str, hint: str = "") -> Never:
    """The pragma has an error at a part of its text."""
    refuse("TRV023", message, a.syntax.pragma_span(node, place.start, place.length), label, hint=hint)


def expression(a: Analysis, node: Any, piece: Piece) -> Expression:
    """The C expression that a part of a pragma is; what is wrong inside is reported for the whole pragma."""
    try:
        tree = CParser().parse(f"int value = ({piece.text});")
    except Exception as error:
        if not raised_in(pycparser, error):
            raise
        refuse_at(a, node, f"'{piece.text}' is not an expression", piece, "expected an expression")
    parsed = tree.ext[0].init
    _place(parsed, node.coord)
    return a.expression(a, parsed)


def _place(tree: c_ast.Node, coord: Any) -> None:
    tree.coord = coord
    for _, child in tree.children():
        _place(child, coord)


def positive(a: Analysis, node: Any, clause: Clause, piece: Piece) -> int:
    """A positive integer constant."""
    value = expression(a, node, piece)
    if not isinstance(value, Literal) or not isinstance(value.value, int) or value.value < 1:
        refuse_at(a, node, f"'{clause.name}' needs a positive integer constant", piece, "not a positive integer constant")
    return value.value


def only_number(a: Analysis, node: Any, clause: Clause) -> int:
    """The number of a clause with a single one."""
    if len(clause.items) != 1:
        refuse_at(a, node, f"'{clause.name}' takes one number", clause.whole, "more than one argument")
    return positive(a, node, clause, clause.items[0])


def variable(a: Analysis, node: Any, piece: Piece, *, copied: bool = False) -> Variable | None:
    """The variable of this name; None for what has the name, but is no variable of the function: constants, for instance.

    Gives up when it is to be `copied`, and its type is not known.
    """
    symbol = a.scope.find(piece.text)
    if symbol is None:
        close = difflib.get_close_matches(piece.text, sorted(a.scope.visible()), n=1)
        hint = f"did you mean '{close[0]}'?" if close else ""
        refuse_at(a, node, f"'{piece.text}' is not declared", piece, "not declared", hint)
    if isinstance(symbol, Unusable) and copied:
        raise Unsupported(symbol.reason)
    if isinstance(symbol, TypeName | FunctionName):
        refuse_at(a, node, f"'{piece.text}' is not a variable", piece, "only variables can be listed")
    return symbol if isinstance(symbol, Variable) else None
