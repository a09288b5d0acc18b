"""A nest as a function: a tree made of the nest's own nodes, with parameters for its free variables.

    int i, k = 0; double s = 0, a[64];          void f(double s, double *restrict s_out, int k)
    for (i = 0; i < n; i++)                     {
        s += a[i] * k;                  ->          int i;
    use(s);                                         <a, whose address is given>
                                                    for (i = 0; i < n; i++) s += a[i] * k;
                                                    *s_out = s;
                                                }
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from tensorrv.frontend.c.analyse.scope import GIVEN
from tensorrv.frontend.outline.interface import Passed
from tensorrv.frontend.outline.names import nodes_in
from tensorrv.frontend.outline.nests import Nest
from tensorrv.frontend.outline.pragmas import Dialect


@dataclass(frozen=True, slots=True, eq=False)
class NestFunction:
    """A nest with its function's tree. `arguments` are what C passes for each parameter of it, in order."""

    name: str
    nest: Nest
    passed: tuple[Passed, ...]
    tree: Any
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Argument:
    """`name` is a variable of the user's: its value, or a place for the value that it gets."""

    name: str
    is_result: bool


def function_of(name: str, nest: Nest, passed: tuple[Passed, ...], dialect: Dialect) -> NestFunction:
    """The function for a nest whose free variables are passed like that."""
    values = [one for one in passed if one.how == "value"]
    parameters = [_parameter(one) for one in values if one.enters]
    arguments = [Argument(one.local.name, False) for one in values if one.enters]
    returned = [one for one in values if one.returns]
    parameters += [_result(one) for one in returned]
    arguments += [Argument(one.local.name, True) for one in returned]
    coord = nest.node.coord
    items = [_repeated(one) for one in passed if one.how != "value"]
    items += [_variable(one.local.node) for one in values if not one.enters]
    items += [pragma for pragma in nest.pragmas if dialect.meaning(pragma) == "hint"]
    items.append(_without_pragmas(nest.node, dialect))
    items += [_store(one, coord) for one in returned]
    void = c_ast.TypeDecl(name, [], None, c_ast.IdentifierType(["void"], coord), coord)
    type_ = c_ast.FuncDecl(c_ast.ParamList(parameters, coord) if parameters else None, void, coord)
    head = c_ast.Decl(name, [], [], [], [], type_, None, None, coord)
    tree = c_ast.FuncDef(head, None, c_ast.Compound(items, coord), coord)
    return NestFunction(name, nest, passed, tree, tuple(arguments))


def result_name(name: str) -> str:
    """What the place for the value of a variable is called."""
    return f"{name}_trv_out"


def _parameter(one: Passed) -> Any:
    node = one.local.node
    type_ = node.type
    match type_:
        case c_ast.ArrayDecl(dim_quals=words):
            kept = [word for word in words or [] if word != "restrict" or one.restrict]
            dim = type_.dim if "static" in kept else None
            type_ = c_ast.ArrayDecl(type_.type, dim, kept, type_.coord)
        case c_ast.PtrDecl(quals=words):
            kept = [word for word in words or [] if word != "restrict" or one.restrict]
            type_ = c_ast.PtrDecl(kept, type_.type, type_.coord)
        case _:
            pass
    return c_ast.Decl(node.name, node.quals, [], [], [], type_, None, None, node.coord)


def _result(one: Passed) -> Any:
    """A pointer to a variable of the caller's that nothing else can reach."""
    node, name = one.local.node, result_name(one.local.name)
    type_ = c_ast.PtrDecl(["restrict"], node.type, node.coord)
    return c_ast.Decl(name, [], [], [], [], type_, None, None, node.coord)


def _repeated(one: Passed) -> Any:
    """The declaration of what the function is given the address of, or declares itself."""
    node = one.local.node
    if one.how == "inside":
        return node
    return c_ast.Decl(node.name, node.quals, [], [GIVEN], [], node.type, None, None, node.coord)


def _variable(node: Any) -> Any:
    return c_ast.Decl(node.name, node.quals, [], [], [], node.type, None, None, node.coord)


def _store(one: Passed, coord: Any) -> Any:
    name = one.local.name
    return c_ast.Assignment("=", c_ast.UnaryOp("*", c_ast.ID(result_name(name), coord), coord), c_ast.ID(name, coord), coord)


def _without_pragmas(node: Any, dialect: Dialect) -> Any:
    """The tree without pragmas that the C compiler ignores; parts that have none are shared."""
    dropped = [n for n in nodes_in(node) if isinstance(n, c_ast.Pragma) and dialect.meaning(n) == "nothing"]
    return _without(node, {id(pragma) for pragma in dropped}) if dropped else node


def _without(node: Any, dropped: set[int]) -> Any:
    if not any(id(inner) in dropped for inner in nodes_in(node)):
        return node
    made = copy.copy(node)
    for name in node.__slots__:
        part = getattr(node, name, None)
        if isinstance(part, c_ast.Node):
            setattr(made, name, _without(part, dropped))
        elif isinstance(part, list):
            kept = [item for item in part if id(item) not in dropped]
            setattr(made, name, [_without(item, dropped) if isinstance(item, c_ast.Node) else item for item in kept])
    return made
