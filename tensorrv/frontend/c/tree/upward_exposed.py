"""The variables whose value from outside an iteration may matter to it: upward-exposed uses, on the typed tree.

    t = a[i]; b[i] = t + s;         {s}, as t is assigned before
    if (c) t = a[i]; b[i] = t;      {c, t}

Numbers and pointers are assigned as a whole; of arrays and structs every use counts, unless they are declared inside. What jumps
leave out counts as not assigned.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tensorrv.frontend.c.analyse.scope import Variable
from tensorrv.frontend.c.tree.nodes import (
    Assign,
    Case,
    CompoundAssign,
    Conditional,
    CopyArray,
    Declare,
    If,
    Increment,
    Label,
    Logical,
    Loop,
    Read,
    Statement,
    Switch,
    VariablePlace,
)
from tensorrv.frontend.c.tree.walk import parts
from tensorrv.frontend.c.types.c_types import FloatingC, IntegerC, PointerC


def upward_exposed(body: Statement) -> frozenset[Variable]:
    """The variables that the body of a loop may use before it assigns to them."""
    walk = _Walk()
    walk.visit(body)
    return frozenset(walk.exposed) - walk.declared


@dataclass(slots=True)
class _Walk:
    """`assigned` are the variables that have got a value on every way to where the walk is."""

    assigned: set[Variable] = field(default_factory=set)
    exposed: set[Variable] = field(default_factory=set)
    declared: set[Variable] = field(default_factory=set)

    def visit(self, node: object) -> None:
        match node:
            case VariablePlace(variable=variable):
                self._use(variable)
            case Read(place=VariablePlace(variable=variable)):
                self._use(variable)
            case Assign(place=VariablePlace(variable=variable), value=value):
                self.visit(value)
                self._assign(variable)
            case CompoundAssign(place=VariablePlace(variable=variable), value=value):
                self.visit(value)
                self._use(variable)
                self._assign(variable)
            case Increment(place=VariablePlace(variable=variable)):
                self._use(variable)
                self._assign(variable)
            case Logical(left=left, right=right):
                self.visit(left)
                self._either(right)
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                self.visit(condition)
                self._either(then, otherwise)
            case Declare(variable=variable, value=value):
                self.visit(value)
                self.declared.add(variable)
            case CopyArray(target=target, source=source):
                self._use(source)
                self._use(target)
            case If(condition=condition, then=then, otherwise=otherwise):
                self.visit(condition)
                self._either(then, otherwise)
            case Loop():
                self._loop(node)
            case Switch(value=value, body=body):
                self.visit(value)
                self._either(body)
            case Case() | Label():
                self.assigned.clear()  # control comes from somewhere else
            case _:
                for child in parts(node):
                    self.visit(child)

    def _use(self, variable: Variable) -> None:
        if variable not in self.assigned:
            self.exposed.add(variable)

    def _assign(self, variable: Variable) -> None:
        if isinstance(variable.type, IntegerC | FloatingC | PointerC):
            self.assigned.add(variable)
        else:
            self._use(variable)

    def _either(self, *ways: object) -> None:
        """One of these runs, or none when there is only one; `None` assigns nothing."""
        before, after = frozenset(self.assigned), list[set[Variable]]()
        for way in ways if len(ways) > 1 else (*ways, None):
            self.assigned = set(before)
            self.visit(way)
            after.append(self.assigned)
        self.assigned = set.intersection(*after)

    def _loop(self, loop: Loop) -> None:
        """The body may run not at all, and `continue` may leave out any part of it."""
        if loop.kind != "do":
            self.visit(loop.test)
        before = set(self.assigned)
        self.visit(loop.body)
        self.assigned = set(before)
        for part in (loop.step, loop.last, loop.test):
            self.visit(part)
        self.assigned = before
