"""From a prepared function to the program of its subscripts and control flow.

Header phis that add a loop-invariant step in every iteration become `recur` nodes, with a start and a step, whatever wraps in
between; exits that every iteration passes and that compare such a variable with an invariant get a `Count`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rv.analysis.cfg.dominance import DominatorTree, dominator_tree
from rv.analysis.cfg.flow import flow_graph
from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.analysis.values.uses import defining_blocks, definitions
from rv.ir.function import Function
from rv.ir.instructions import (
    Alloca,
    Binary,
    Branch,
    CompareInt,
    Convert,
    ElementPointer,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
)
from rv.ir.types import IntType, PointerType, bits_of, size_of
from rv.ir.values import Const, Value, Var
from tensorrv.interface.footprint.dependence import with_dependence
from tensorrv.interface.footprint.program import NOWHERE, Access, Block, Count, Edge, Exit, Loop, Node, Program

_SWAPPED: Final = {"eq": "eq", "ne": "ne", "slt": "sgt", "sle": "sge", "sgt": "slt", "sge": "sle",
                   "ult": "ugt", "ule": "uge", "ugt": "ult", "uge": "ule"}  # fmt: skip
_OPPOSITE: Final = {"eq": "ne", "ne": "eq", "slt": "sge", "sle": "sgt", "sgt": "sle", "sge": "slt",
                    "ult": "uge", "ule": "ugt", "ugt": "ule", "uge": "ult"}  # fmt: skip


def program_of(function: Function) -> Program:
    """The program of a function in loop-simplify form and loop-closed SSA."""
    return _Slice(function).program()


class _Slice:
    """The nodes found so far; variables become nodes on demand."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.forest = find_loops(function)
        self.graph = flow_graph(function)
        self.dominators: DominatorTree = dominator_tree(self.graph)
        self.definitions: Mapping[str, Instruction | Phi] = definitions(function)
        self.defined_in = defining_blocks(function)
        self.labels = [block.label for block in function.blocks if block.label in self.dominators.immediate]
        self.block_number = {label: k for k, label in enumerate(self.labels)}
        self.loop_number = {header: k for k, header in enumerate(self.forest.loops)}
        self.nodes: list[Node | None] = []
        self.numbers: dict[Node, int] = {}
        self.variables: dict[str, int] = {}
        self.unfinished: list[Phi] = []
        for parameter in function.parameters:
            name, type_ = parameter.var.name, parameter.var.type
            op = "base" if isinstance(type_, PointerType) else "param" if isinstance(type_, IntType) else "data"
            self.variables[name] = self.add(Node(op, bits_of(type_), name=name))

    def program(self) -> Program:
        accesses = tuple(access for label in self.labels for access in self._accesses(label))
        blocks = tuple(self._block(label) for label in self.labels)
        loops = [self._loop(loop) for loop in self.forest.loops.values()]
        self._finish()
        nodes = tuple(node for node in self.nodes if node is not None)
        assert len(nodes) == len(self.nodes)
        arrays = tuple(p.var.name for p in self.function.parameters if isinstance(p.var.type, PointerType))
        variables: dict[int, list[int]] = {}
        for k, node in enumerate(nodes):
            if node.op == "loop":
                variables.setdefault(node.loop, []).append(k)
        complete = tuple(
            Loop(loop.header, loop.latch, loop.parent, loop.exits, tuple(variables.get(k, ()))) for k, loop in enumerate(loops)
        )
        return with_dependence(Program(nodes, blocks, complete, accesses, arrays))

    # -- nodes

    def add(self, node: Node) -> int:
        if node not in self.numbers:
            self.numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return self.numbers[node]

    def constant(self, value: int, bits: int) -> int:
        return self.add(Node("const", bits, value=value))

    def node(self, value: Value) -> int:
        match value:
            case Const(IntType(bits)):
                return self.constant(value.signed, bits)
            case Var(name):
                if name not in self.variables:
                    self._define(value)
                return self.variables[name]
            case _:
                return self.add(Node("data", bits_of(value.type)))

    def _define(self, variable: Var) -> None:
        # chains of definitions are longer than Python's stack
        pending = [variable]
        while pending:
            current = pending[-1]
            definition = self.definitions.get(current.name)
            missing = [v for v in _needed(definition) if isinstance(v, Var) and v.name not in self.variables]
            if missing and not isinstance(definition, Phi):
                pending += missing
                continue
            pending.pop()
            if current.name not in self.variables:
                self.variables[current.name] = self._made(current, definition)

    def _made(self, variable: Var, definition: Instruction | Phi | None) -> int:
        bits = bits_of(variable.type)
        match definition:
            case Binary(op=op, left=left, right=right, nsw=nsw) if op in _INTEGER and isinstance(variable.type, IntType):
                return self.add(Node(op, bits, (self.node(left), self.node(right)), nsw=nsw))
            case CompareInt(predicate=predicate, left=left, right=right):
                return self.add(Node(f"icmp.{predicate}", 1, (self.node(left), self.node(right)), bits_of(left.type)))
            case Select(condition=c, then=a, otherwise=b) if isinstance(variable.type, IntType | PointerType):
                return self.add(Node("select", bits, (self.node(c), self.node(a), self.node(b))))
            case Convert(op="sext" | "zext" | "trunc" as op, value=value):
                return self.add(Node(op, bits, (self.node(value),), bits_of(value.type)))
            case ElementPointer():
                return self._element(definition)
            case Alloca():
                return self.add(Node("base", bits, name=f"%{variable.name}"))
            case Phi() if isinstance(variable.type, IntType | PointerType):
                return self._phi(definition)
            case _:
                return self.add(Node("data", bits, name=variable.name))

    def _element(self, pointer: ElementPointer) -> int:
        distance = self.node(pointer.indices[0])
        for subscript, extent in zip(pointer.indices[1:], pointer.extents, strict=True):
            rows = self.add(Node("exact.mul", 64, (distance, self.node(extent))))
            distance = self.add(Node("exact.add", 64, (rows, self.node(subscript))))
        size = self.constant(size_of(pointer.element), 64)
        return self.add(Node("behind", 64, (self.node(pointer.base), self.add(Node("exact.mul", 64, (distance, size))))))

    # -- phis

    def _phi(self, phi: Phi) -> int:
        """A place for the phi; what it needs may need the phi."""
        self.nodes.append(None)
        self.unfinished.append(phi)
        return len(self.nodes) - 1

    def _finish(self) -> None:
        """Makes the phis' nodes, until there are no new ones."""
        while self.unfinished:
            phi = self.unfinished.pop()
            self.nodes[self.variables[phi.result.name]] = self._phi_node(phi)

    def _phi_node(self, phi: Phi) -> Node:
        label = self.defined_in[phi.result.name]
        bits = bits_of(phi.result.type)
        loop = self.forest.loops.get(label)
        if loop is not None:
            if len(loop.entering) != 1 or len(loop.latches) != 1:
                return Node("data", bits)
            return self._header_phi(phi, loop, bits)
        edges = tuple(self._edge(source, label) for source, _ in phi.incoming)
        operands = tuple(self._leaving(value, source, label, bits) for source, value in phi.incoming)
        return Node("merge", bits, operands, edges=edges)

    def _leaving(self, value: Value, source: str, label: str, bits: int) -> int:
        """A value that comes along an edge: as it is when the loops that the edge leaves end."""
        found = self.node(value)
        if not isinstance(value, Var):
            return found
        inside = self.defined_in.get(value.name)
        header = None if inside is None else self.forest.innermost.get(inside)
        while header is not None and label not in self.forest.loops[header].blocks:
            found = self.add(Node("leave", bits, (found,), loop=self.loop_number[header]))
            header = self.forest.loops[header].parent
        return found

    def _header_phi(self, phi: Phi, loop: NaturalLoop, bits: int) -> Node:
        start, after = phi.value_from(loop.entering[0]), phi.value_from(loop.latches[0])
        number = self.loop_number[loop.header]
        step = self._step(after, phi.result, loop, bits)
        if step is not None:
            distance, nsw = step
            return Node("recur", bits, (self.node(start), distance), loop=number, nsw=nsw)
        return Node("loop", bits, (self.node(start), self.node(after)), loop=number)

    def _step(self, value: Value, phi: Var, loop: NaturalLoop, bits: int) -> tuple[int, bool] | None:
        """The node of `value - phi` modulo 2**bits, and whether no addition wraps; None unless it is invariant in the loop."""
        if value == phi:
            return self.constant(0, bits), True
        definition = self.definitions.get(value.name) if isinstance(value, Var) else None
        match definition:
            case Binary(op="add", left=left, right=right, nsw=nsw):
                for inner, distance in ((left, right), (right, left)):
                    if self._invariant(distance, loop):
                        found = self._step(inner, phi, loop, bits)
                        if found is not None:
                            return self._sum(found, self._narrow(distance, bits), "add", nsw, bits)
                return None
            case Binary(op="sub", left=left, right=right, nsw=nsw) if self._invariant(right, loop):
                found = self._step(left, phi, loop, bits)
                return None if found is None else self._sum(found, self._narrow(right, bits), "sub", nsw, bits)
            case Convert(op="trunc" | "sext" | "zext", value=other) if min(bits_of(other.type), bits_of(value.type)) >= bits:
                found = self._step(other, phi, loop, bits)
                return None if found is None else (found[0], False)
            case ElementPointer(base=base) if all(self._invariant(v, loop) for v in (*definition.indices, *definition.extents)):
                found = self._step(base, phi, loop, bits)
                return None if found is None else self._sum(found, self._bytes(definition), "exact.add", True, bits)
            case _:
                return None

    def _sum(self, found: tuple[int, bool], distance: int, op: str, nsw: bool, bits: int) -> tuple[int, bool]:
        so_far, exact = found
        if op == "add" and self.nodes[so_far] == Node("const", bits, value=0):
            return distance, exact and nsw
        return self.add(Node(op, bits, (so_far, distance))), exact and nsw

    def _bytes(self, pointer: ElementPointer) -> int:
        element = self.nodes[self._element(pointer)]
        assert element is not None
        return element.operands[1]

    def _narrow(self, value: Value, bits: int) -> int:
        node, width = self.node(value), bits_of(value.type)
        return node if width == bits else self.add(Node("trunc", bits, (node,), width))

    def _invariant(self, value: Value, loop: NaturalLoop) -> bool:
        return not isinstance(value, Var) or self.defined_in.get(value.name) not in loop.blocks

    # -- control flow

    def _edge(self, source: str, target: str) -> Edge:
        terminator = self.function.block(source).terminator
        condition, truth = NOWHERE, True
        if isinstance(terminator, Branch) and terminator.then != terminator.otherwise:
            condition, truth = self.node(terminator.condition), terminator.then == target
        return Edge(self.block_number[source], condition, truth, self._left_by(source, target))

    def _left_by(self, source: str, target: str) -> int:
        """The outermost loop that an edge leaves."""
        header, left = self.forest.innermost.get(source), NOWHERE
        while header is not None and target not in self.forest.loops[header].blocks:
            left, header = self.loop_number[header], self.forest.loops[header].parent
        return left

    def _block(self, label: str) -> Block:
        header = self.forest.innermost.get(label)
        own = self.forest.loops.get(label)
        sources = [p for p in self.graph.predecessors[label] if p in self.block_number]
        if own is not None:
            sources = [p for p in sources if p not in own.blocks]
        edges = tuple(self._counted_out(self._edge(p, label), p, label) for p in sources)
        return Block(NOWHERE if header is None else self.loop_number[header], edges, tuple(self._guards(label)))

    def _counted_out(self, edge: Edge, source: str, target: str) -> Edge:
        """An edge past a counted exit: the counter's range decides whether it is taken, and the loop always ends by it."""
        header = self.forest.innermost.get(source)
        if header is None or edge.condition == NOWHERE:
            return edge
        loop = self.forest.loops[header]
        if edge.left != NOWHERE:
            targets = {t for _, t in self.forest.loops[self.labels_of_loop(edge.left)].exits}
            return Edge(edge.block, NOWHERE, True, edge.left) if len(targets) == 1 else edge
        leaves = any(b == source for b, _ in loop.exits)
        return Edge(edge.block) if leaves and self._count(source, loop) is not None else edge

    def labels_of_loop(self, number: int) -> str:
        return list(self.forest.loops)[number]

    def _guards(self, label: str) -> list[tuple[int, bool]]:
        """Conditions on edges that every way to the block takes in the iteration in which it runs."""
        found: list[tuple[int, bool]] = []
        for above in self.dominators.chain(label):
            sources = self.graph.predecessors[above]
            if len(sources) == 1 and self._left_by(sources[0], above) == NOWHERE:
                edge = self._edge(sources[0], above)
                around = self.forest.innermost.get(sources[0])
                if edge.condition != NOWHERE and (around is None or label in self.forest.loops[around].blocks):
                    found.append((edge.condition, edge.truth))
        return found

    def _loop(self, loop: NaturalLoop) -> Loop:
        exits = tuple(self._exit(source, target, loop) for source, target in loop.exits)
        parent = NOWHERE if loop.parent is None else self.loop_number[loop.parent]
        return Loop(self.block_number[loop.header], self.block_number[loop.latches[0]], parent, exits, ())

    def _exit(self, source: str, target: str, loop: NaturalLoop) -> Exit:
        edge = self._edge(source, target)
        condition = edge.condition if edge.condition != NOWHERE else self.constant(1, 1)
        return Exit(edge.block, condition, edge.truth, self._count(source, loop))

    def _count(self, source: str, loop: NaturalLoop) -> Count | None:
        terminator = self.function.block(source).terminator
        if not isinstance(terminator, Branch) or len(loop.latches) != 1 or len(loop.entering) != 1:
            return None
        if self.forest.innermost.get(source) != loop.header or not self.dominators.dominates(source, loop.latches[0]):
            return None
        compared = self.definitions.get(terminator.condition.name) if isinstance(terminator.condition, Var) else None
        if not isinstance(compared, CompareInt) or isinstance(compared.left.type, PointerType):
            return None
        predicate: str = compared.predicate
        if terminator.then not in loop.blocks:
            predicate = _OPPOSITE[predicate]
        if self._invariant(compared.right, loop):
            return self._counted(compared.left, compared.right, predicate, loop)
        return self._counted(compared.right, compared.left, _SWAPPED[predicate], loop)

    def _counted(self, variable: Value, bound: Value, predicate: str, loop: NaturalLoop) -> Count | None:
        if not self._invariant(bound, loop) or not isinstance(variable, Var):
            return None
        width, extend = bits_of(variable.type), ""
        definition = self.definitions.get(variable.name)
        if isinstance(definition, Convert) and definition.op in ("sext", "zext") and isinstance(definition.value, Var):
            extend, variable = definition.op[0], definition.value
        bits = bits_of(variable.type)
        moved = self._from_phi(variable, loop, bits)
        if moved is None:
            return None
        phi, ahead, ahead_nsw = moved
        recur = self._header_phi(phi, loop, bits)
        if recur.op != "recur":
            return None
        start = recur.operands[0] if ahead is None else self.add(Node("add", bits, (recur.operands[0], ahead), nsw=ahead_nsw))
        return Count(predicate, start, recur.operands[1], self.node(bound), bits, extend, width, recur.nsw and ahead_nsw)

    def _from_phi(self, variable: Var, loop: NaturalLoop, bits: int) -> tuple[Phi, int | None, bool] | None:
        """The header phi of which a variable is a fixed distance ahead, and that distance."""
        definition = self.definitions.get(variable.name)
        if isinstance(definition, Phi) and self.defined_in[variable.name] == loop.header:
            return definition, None, True
        for phi in self.function.block(loop.header).phis:
            if bits_of(phi.result.type) == bits and isinstance(phi.result.type, IntType):
                step = self._step(variable, phi.result, loop, bits)
                if step is not None:
                    return phi, step[0], step[1]
        return None

    # -- accesses

    def _accesses(self, label: str) -> list[Access]:
        found = []
        for instruction in self.function.block(label).body:
            match instruction:
                case Load(result=value, pointer=pointer) | Store(value=value, pointer=pointer):
                    access = self._access(label, size_of(value.type), pointer, instruction)
                    if access is not None:
                        found.append(access)
                case _:
                    pass
        return found

    def _access(self, label: str, width: int, pointer: Value, instruction: Load | Store) -> Access | None:
        if not isinstance(pointer, Var):
            return None
        inner = self._inner(pointer)
        definition = self.definitions.get(pointer.name)
        array, row, unit = "", NOWHERE, NOWHERE
        if isinstance(definition, ElementPointer) and isinstance(definition.base, Var) and self._is_parameter(definition.base):
            array, row = definition.base.name, self.node(definition.indices[0])
            unit = self.constant(size_of(definition.element), 64)
            for extent in definition.extents:
                unit = self.add(Node("exact.mul", 64, (unit, self.node(extent))))
        line = 0 if instruction.span is None else instruction.span.line
        tested = tuple(self._tested(label))
        return Access(self.block_number[label], width, self.node(pointer), array, row, unit, inner, tested, line)

    def _is_parameter(self, value: Var) -> bool:
        return any(p.var == value for p in self.function.parameters)

    def _inner(self, pointer: Var) -> tuple[tuple[int, int], ...]:
        """The subscripts of inner dimensions on the way from the array to an address, and their lengths."""
        found: list[tuple[int, int]] = []
        value: Value = pointer
        while isinstance(value, Var) and isinstance(definition := self.definitions.get(value.name), ElementPointer):
            pairs = zip(definition.indices[1:], definition.extents, strict=True)
            found += [(self.node(index), self.node(extent)) for index, extent in pairs if not _is_inside(index, extent)]
            value = definition.base
        return tuple(found)

    def _tested(self, label: str) -> list[tuple[int, tuple[bool, ...]]]:
        """The loops around a block, outermost first, and for each of their exits whether the block runs before its last test."""
        found: list[tuple[int, tuple[bool, ...]]] = []
        header = self.forest.innermost.get(label)
        while header is not None:
            loop = self.forest.loops[header]
            found.insert(0, (self.loop_number[header], tuple(not self._behind(label, s, loop) for s, _ in loop.exits)))
            header = loop.parent
        return found

    def _behind(self, label: str, source: str, loop: NaturalLoop) -> bool:
        """Whether a block runs only in iterations that have gone past an exit."""
        inside = [t for t in self.graph.successors[source] if t in loop.blocks]
        return label != source and len(inside) == 1 and self.dominators.dominates(inside[0], label) and inside[0] != loop.header


def _is_inside(subscript: Value, extent: Value) -> bool:
    """Whether a subscript, such as that of a struct's member, is inside whatever the parameters are."""
    return isinstance(subscript, Const) and isinstance(extent, Const) and 0 <= subscript.signed < extent.signed


_INTEGER: Final = ("add", "sub", "mul", "sdiv", "udiv", "srem", "urem", "shl", "lshr", "ashr", "and", "or", "xor")


def _needed(definition: Instruction | Phi | None) -> tuple[Value, ...]:
    """The operands that become nodes before the result does."""
    match definition:
        case Binary(left=a, right=b) | CompareInt(left=a, right=b):
            return (a, b)
        case Select(condition=c, then=a, otherwise=b):
            return (c, a, b)
        case Convert(op="sext" | "zext" | "trunc", value=a):
            return (a,)
        case ElementPointer(base=base, indices=indices, extents=extents):
            return (base, *indices, *extents)
        case _:
            return ()
