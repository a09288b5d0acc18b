"""The free variables of a nest, and how each is passed to the function that the nest becomes.

    value     numbers and pointers: a copy goes in if the nest may read it before it assigns to it, and one comes back if it may
              be read afterwards
    object    its address: arrays, structs, statics, and numbers whose address something else may have, or that other
              threads may see
    inside    the declaration is repeated in the function: constants, functions, variables of the program

Sizes in types (`double a[n][m]`) are passed as the variables that they are made of, which must not have changed since.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal

from pycparser import c_ast

from tensorrv.frontend.c.parse.syntax import Syntax
from tensorrv.frontend.outline.liveness import has_value_first, is_read_later
from tensorrv.frontend.outline.names import Local, Names, nodes_in
from tensorrv.frontend.outline.nests import LOOPS, Nest
from tensorrv.frontend.outline.pragmas import private_names
from tensorrv.frontend.outline.shapes import Shapes
from tensorrv.report.diagnostics import Diagnostic

How = Literal["value", "object", "inside"]
_STEPS: Final = frozenset({"++", "--", "p++", "p--"})


@dataclass(frozen=True, slots=True, eq=False)
class Passed:
    """A free variable. Of values: `enters` and `returns`: directions of copies; `restrict` is kept where it holds here, too."""

    local: Local
    how: How
    enters: bool = True
    returns: bool = False
    restrict: bool = False


class CannotPass(Exception):
    """A variable that cannot be passed; `diagnostic` gives the reason."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


@dataclass(frozen=True, slots=True)
class Interfaces:
    """Finds the interfaces of nests of one function. `constants` are enumeration constants of the file."""

    syntax: Syntax
    names: Names
    shapes: Shapes
    constants: frozenset[str]

    def of(self, nest: Nest) -> tuple[Passed, ...]:
        """The variables of a nest, numbers first. Raises CannotPass."""
        free = [local for local in self.names.locals if self._is_free(local, nest.node)]
        sizes = [size for local in free for size in self._sizes(local)]
        for size in sizes:
            self._check_visible(size, nest.node)
        every = list(dict.fromkeys([*free, *sizes]))
        passed = [self._passed(local, nest) for local in every]
        return tuple(sorted(passed, key=lambda p: not (p.how == "value" and self._shape(p.local) == "number")))

    def _is_free(self, local: Local, nest: Any) -> bool:
        if local.node is not None and self.names.is_within(local.node, nest):
            return False
        return self.names.is_used_in(local, nest)

    def _shape(self, local: Local) -> str:
        return self.shapes.of(self.names, local.node.type)

    def _passed(self, local: Local, nest: Nest) -> Passed:
        match local.kind:
            case "type" | "constant":
                raise self._cannot(local, "it is declared inside of the function")
            case "extern" | "function":
                return Passed(local, "inside")
            case "static" if self.shapes.has(self.names, local.node.type, "const") and local.node.init is not None:
                return Passed(local, "inside")
            case _:
                pass
        if self.shapes.is_local(self.names, local.node.type):
            raise self._cannot(local, "its type is declared inside of the function")
        if any(self.shapes.has(self.names, local.node.type, word) for word in ("volatile", "_Atomic")):
            raise self._cannot(local, "it is volatile or atomic")
        if {"_Thread_local", "__thread"} & set(local.node.storage):
            return Passed(local, "object")
        shape = self._shape(local)
        match shape:
            case "number" | "pointer":
                return self._scalar(local, nest)
            case "array" if local.kind == "parameter":
                return self._scalar(local, nest)
            case "array" if any(True for _ in self._sizes(local)):
                self._check_elements_only(local, nest.node)
                return Passed(local, "value")
            case "array" | "record":
                return Passed(local, "object")
            case _:
                raise self._cannot(local, "its type is not supported")

    def _scalar(self, local: Local, nest: Nest) -> Passed:
        written = any(is_written(self.names, use) for use in local.uses if self.names.is_within(use, nest.node))
        if local.kind == "static" or self._is_escaped(local) or (written and self._is_shared(local, nest)):
            if local.kind == "parameter" and isinstance(local.node.type, c_ast.ArrayDecl):
                raise self._cannot(local, "an array parameter whose address is taken")
            return Passed(local, "object")
        if not written:
            return Passed(local, "value", restrict=self._keeps_restrict(local))
        if local.kind == "parameter" and self._shape(local) == "array":
            raise self._cannot(local, "an array parameter that is assigned")
        enters = not has_value_first(self.names, local, nest.node)
        return Passed(local, "value", enters, is_read_later(self.names, local, nest.node))

    def _check_visible(self, size: Local, nest: Any) -> None:
        """The name of a variable that is only in a type must mean the same where the nest is."""
        for other in self.names.locals:
            if other is not size and other.name == size.name and (other.scope is None or self.names.is_within(nest, other.scope)):
                raise self._cannot(size, "another one of its name hides it")

    def _check_elements_only(self, local: Local, nest: Any) -> None:
        """An array of variable length is a pointer in the function: nothing may depend on its own type."""
        for use in local.uses:
            parent = self.names.parents.get(id(use))
            if self.names.is_within(use, nest) and isinstance(parent, c_ast.UnaryOp | c_ast.TypeOf):
                if isinstance(parent, c_ast.TypeOf) or parent.op in ("sizeof", "_Alignof", "&"):
                    raise self._cannot(local, "the nest depends on its length")

    def _is_escaped(self, local: Local) -> bool:
        """Whether something else may have the address of a number or pointer."""
        parents = self.names.parents
        return any(isinstance(p := parents.get(id(use)), c_ast.UnaryOp) and p.op == "&" for use in local.uses)

    def _is_shared(self, local: Local, nest: Nest) -> bool:
        """Whether other threads may use a variable at the same time: it is declared outside of a construct of threads."""
        if not nest.around and not nest.pragmas:
            return False
        if local.name in private_names((*nest.around, *nest.pragmas)):
            return False
        outermost = self._outermost_construct(nest)
        return outermost is not None and not self.names.is_within(local.node, outermost)

    def _outermost_construct(self, nest: Nest) -> Any:
        """The outermost statement with a pragma before it that holds the nest."""
        found = None
        marked = {id(pragma) for pragma in (*nest.around, *nest.pragmas)}
        chain = [nest.node, *self.names.around(nest.node)]
        for inner, outer in pairwise(chain):
            items = getattr(outer, "block_items", None) or getattr(outer, "stmts", None) or ()
            before = None
            for item in items:
                if item is inner and before is not None:
                    found = inner
                before = item if isinstance(item, c_ast.Pragma) and id(item) in marked else None
        return found

    def _sizes(self, local: Local) -> Iterable[Local]:
        """The variables in the lengths of a type, which must be what they were when it was declared."""
        if local.kind not in ("parameter", "automatic"):
            return
        for dim in self._lengths(local):
            for node in nodes_in(dim):
                if isinstance(node, c_ast.FuncCall | c_ast.Assignment):
                    raise self._cannot(local, "its length is computed")
                if not isinstance(node, c_ast.ID):
                    continue
                size = self.names.meaning.get(id(node))
                if size is None and node.name not in self.constants:
                    raise self._cannot(local, f"its length depends on '{node.name}', which may have changed")
                if size is not None and size.kind == "constant":
                    raise self._cannot(local, "its length is declared inside of the function")
                if size is not None:
                    self._check_unchanged(size, local)
                    yield size

    @staticmethod
    def _lengths(local: Local) -> Iterable[Any]:
        """The lengths in a declarator that are part of the type as a parameter has it."""
        type_ = local.node.type
        outermost = type_.dim if isinstance(type_, c_ast.ArrayDecl) and local.kind == "parameter" else None
        for node in nodes_in(type_):
            if isinstance(node, c_ast.ArrayDecl) and node.dim is not None and node.dim is not outermost:
                yield node.dim

    def _check_unchanged(self, size: Local, local: Local) -> None:
        definition = self.names.definition
        if self._is_escaped(size) or size.kind not in ("parameter", "automatic"):
            raise self._cannot(local, f"its length depends on '{size.name}', which may have changed")
        jumps = any(isinstance(node, c_ast.Goto) for node in nodes_in(definition.body))
        around = [node for node in self.names.around(local.node) if isinstance(node, LOOPS)]
        for use in size.uses:
            if is_written(self.names, use):
                later = use.coord.line > local.node.coord.line or any(self.names.is_within(use, loop) for loop in around)
                if later or jumps or local.kind == "parameter":
                    raise self._cannot(local, f"its length depends on '{size.name}', which is assigned to")

    def _keeps_restrict(self, local: Local) -> bool:
        """Whether no other pointer of the nest can lead where this one leads: it is only ever used to access elements."""
        rank = 0
        type_ = local.node.type
        if local.kind != "parameter":
            return False
        words = (getattr(type_, "quals", None) or []) if isinstance(type_, c_ast.PtrDecl) else getattr(type_, "dim_quals", None)
        if "restrict" not in (words or []):
            return False
        while isinstance(type_, c_ast.PtrDecl | c_ast.ArrayDecl):
            rank, type_ = rank + 1, type_.type
        return all(self._is_access(use, rank) for use in local.uses)

    def _is_access(self, use: Any, rank: int) -> bool:
        depth, node = 0, use
        while depth < rank:
            parent = self.names.parents.get(id(node))
            match parent:
                case c_ast.ArrayRef(name=name) if name is node:
                    depth += 1
                case c_ast.UnaryOp(op="*"):
                    depth += 1
                case c_ast.StructRef(type="->"):
                    depth += 1
                case _:
                    return False
            node = parent
        parent = self.names.parents.get(id(node))
        while isinstance(parent, c_ast.StructRef | c_ast.ArrayRef) and parent.name is node:
            node, parent = parent, self.names.parents.get(id(parent))
        return not (isinstance(parent, c_ast.UnaryOp) and parent.op == "&") and not isinstance(node, c_ast.StructRef)

    def _cannot(self, local: Local, why: str) -> CannotPass:
        message = f"'{local.name}' cannot be passed to a function: {why}"
        return CannotPass(Diagnostic("note", "TRV503", message, self.syntax.span(local.node), "declared here"))


def is_written(names: Names, use: Any) -> bool:
    """Whether a name stands where a number or pointer is assigned to."""
    match names.parents.get(id(use)):
        case c_ast.Assignment(lvalue=lvalue):
            return lvalue is use
        case c_ast.UnaryOp(op=op):
            return op in _STEPS
        case _:
            return False
