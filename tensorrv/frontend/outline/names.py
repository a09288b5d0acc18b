"""Which declaration every name in a function stands for: C's scopes (6.2.1), on pycparser's trees.

Only what is declared inside the function counts; all other names stand for something outside. Members, labels and designators are
names of other kinds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from pycparser import c_ast

Kind = Literal["parameter", "automatic", "static", "extern", "type", "constant", "function"]


@dataclass(eq=False, slots=True)
class Local:
    """Something that is declared inside a function, at `node`, in the block `scope` (None: a parameter). `uses` are its names,
    and `numbers` theirs in preorder.

    `set_in`: for blocks by `id`, the numbers of their statements that assign to it before they read it (`liveness`).
    """

    name: str
    kind: Kind
    node: Any
    scope: Any
    uses: list[Any] = field(default_factory=list)
    set_in: dict[int, list[int]] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a function: `meaning` and `parents` are by the `id` of nodes, which live as long as `definition`.

    `extents` are the numbers of a node and of the last one below it, in preorder, so that whether one node is below another is
    known without a walk. `labelled` are the nodes with a label below them, where control may come from elsewhere.
    """

    definition: Any
    locals: tuple[Local, ...]
    meaning: dict[int, Local]
    parents: dict[int, Any]
    extents: dict[int, tuple[int, int]]
    labelled: frozenset[int]
    tags: frozenset[str]
    """The tags of structs, unions and enumerations that are declared inside."""

    def around(self, node: Any) -> Iterator[Any]:
        """The nodes around one, innermost first."""
        while (node := self.parents.get(id(node))) is not None:
            yield node

    def is_within(self, node: Any, outer: Any) -> bool:
        if node is outer:
            return True
        inside, around = self.extents.get(id(node)), self.extents.get(id(outer))
        return inside is not None and around is not None and around[0] <= inside[0] <= around[1]

    def is_used_in(self, local: Local, node: Any) -> bool:
        """Whether a name of the variable is at a node or below it."""
        if id(node) not in self.extents:
            return False
        first, last = self.extents[id(node)]
        return bisect_right(local.numbers, last) > bisect_left(local.numbers, first)

    def is_labelled(self, node: Any) -> bool:
        """Whether control may come into a node elsewhere than at its beginning."""
        return id(node) in self.labelled


def names_in(definition: Any) -> Names:
    """The names of a function definition."""
    walk = _Walk([{}])
    walk.visit(definition.decl.type, definition)
    walk.visit(definition.body, definition)
    labelled, tags = frozenset(walk.labelled), frozenset(walk.tags)
    return Names(definition, tuple(walk.found), walk.meaning, walk.parents, walk.extents, labelled, tags)


def nodes_in(node: Any) -> Iterator[Any]:
    """A node and all below it."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += reversed([child for _, child in current.children()])


@dataclass(slots=True)
class _Walk:
    scopes: list[dict[str, Local]]
    blocks: list[Any] = field(default_factory=list)
    found: list[Local] = field(default_factory=list)
    meaning: dict[int, Local] = field(default_factory=dict)
    parents: dict[int, Any] = field(default_factory=dict)
    extents: dict[int, tuple[int, int]] = field(default_factory=dict)
    labelled: set[int] = field(default_factory=set)
    tags: set[str] = field(default_factory=set)
    numbered: int = 0
    labels: int = 0

    def visit(self, node: Any, parent: Any) -> None:
        """Enters a node and all below it."""
        first, labels = self._number(node, parent), self.labels
        if isinstance(node, c_ast.Label | c_ast.Case | c_ast.Default):
            self.labels += 1
        self._visit(node)
        self.extents[id(node)] = (first, self.numbered - 1)
        if self.labels > labels:
            self.labelled.add(id(node))

    def _number(self, node: Any, parent: Any) -> int:
        self.parents[id(node)] = parent
        number = self.numbered
        self.numbered += 1
        self.extents[id(node)] = (number, number)
        return number

    def _visit(self, node: Any) -> None:
        match node:
            case c_ast.FuncDecl():
                self._function_type(node)
            case c_ast.Compound() | c_ast.For() | c_ast.While() | c_ast.DoWhile() | c_ast.If() | c_ast.Switch():
                self._block(node)
            case c_ast.Decl() | c_ast.Typedef():
                self._declaration(node)
            case c_ast.ID():
                self._use(node, node.name)
            case c_ast.IdentifierType(names=[name]):
                self._use(node, name)
            case c_ast.StructRef():
                self.visit(node.name, node)
                self._number(node.field, node)
            case c_ast.NamedInitializer():
                self._children(node, [name for name in node.name if not isinstance(name, c_ast.ID)] + [node.expr])
            case c_ast.Enumerator():
                self._children(node, [node.value] if node.value is not None else [])
                self._declare(Local(node.name, "constant", node, self.blocks[-1] if self.blocks else None))
            case c_ast.Struct(decls=members) | c_ast.Union(decls=members):
                self._tag(node, defined=members is not None)
                for member in members or []:
                    self._member(member, node)
            case c_ast.Enum(values=values):
                self._tag(node, defined=values is not None)
                self._children(node, [child for _, child in node.children()])
            case _:
                self._children(node, [child for _, child in node.children()])

    def _children(self, node: Any, children: list[Any]) -> None:
        for child in children:
            self.visit(child, node)

    def _block(self, node: Any) -> None:
        self.scopes.append({})
        self.blocks.append(node)
        self._children(node, [child for _, child in node.children()])
        self.blocks.pop()
        self.scopes.pop()

    def _function_type(self, node: Any) -> None:
        """Parameters: those of the function itself are in the outermost scope, those of others in none."""
        inner = bool(self.blocks) or len(self.scopes) > 1 or bool(self.scopes[0])
        if inner:
            self.scopes.append({})
        for parameter in node.args.params if node.args is not None else []:
            self.visit(parameter, node)
        if inner:
            self.scopes.pop()
        self.visit(node.type, node)

    def _declaration(self, node: Any) -> None:
        self.visit(node.type, node)
        if node.name is not None:
            self._declare(Local(node.name, self._kind(node), node, self.blocks[-1] if self.blocks else None))
        for child in (getattr(node, "init", None), getattr(node, "bitsize", None)):
            if child is not None:
                self.visit(child, node)

    def _kind(self, node: Any) -> Kind:
        if isinstance(node, c_ast.Typedef):
            return "type"
        if isinstance(node.type, c_ast.FuncDecl):
            return "function"
        if not self.blocks:
            return "parameter"
        if "extern" in node.storage:
            return "extern"
        return "static" if "static" in node.storage else "automatic"

    def _member(self, member: Any, struct: Any) -> None:
        first = self._number(member, struct)
        for child in (getattr(member, "type", None), getattr(member, "bitsize", None)):
            if child is not None:
                self.visit(child, member)
        self.extents[id(member)] = (first, self.numbered - 1)

    def _tag(self, node: Any, *, defined: bool) -> None:
        if defined and node.name is not None:
            self.tags.add(node.name)

    def _declare(self, local: Local) -> None:
        self.scopes[-1][local.name] = local
        self.found.append(local)

    def _use(self, node: Any, name: str) -> None:
        local = next((scope[name] for scope in reversed(self.scopes) if name in scope), None)
        if local is not None:
            self.meaning[id(node)] = local
            local.uses.append(node)
            local.numbers.append(self.extents[id(node)][0])
