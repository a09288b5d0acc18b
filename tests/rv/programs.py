"""Random structured programs as P-LLVM functions: nested loops of both kinds, branches, breaks, memory, stack objects, every
operation.

    double random(ptr A, ptr B, ptr restrict C, i32 n, i64 m, double x, float y)

A and B hold doubles, C i32s; so do stack objects, which may be undefined in part. Subscripts are in range most of the time;
loops end after a few iterations. A program may fault or do what is undefined: then nothing is required of a transformed program.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from rv.ir.function import Block, Function, Parameter
from rv.ir.instructions import (
    FLOAT_PREDICATES,
    INT_PREDICATES,
    Alloca,
    Binary,
    Branch,
    Call,
    CompareFloat,
    CompareInt,
    Convert,
    ElementPointer,
    Instruction,
    Jump,
    Load,
    Negate,
    Phi,
    Return,
    Select,
    Store,
    Terminator,
)
from rv.ir.types import F32, F64, I1, I8, I32, I64, PTR, IntType, Type
from rv.ir.values import Const, Undef, Value, Var, const_float, const_int

ELEMENTS = 16
Environment = dict[str, Value]

A, B, C = Var("A", PTR), Var("B", PTR), Var("C", PTR)
PARAMETERS = (Var("n", I32), Var("m", I64), Var("x", F64), Var("y", F32))


@dataclass
class LoopContext:
    """Edges that leave the loop or go to its latch."""

    exit: str
    latch: str
    breaks: list[tuple[str, Environment]] = field(default_factory=list)
    continues: list[tuple[str, Environment]] = field(default_factory=list)


class Generator:
    """Builds one function; `env` maps source variables to their current values."""

    def __init__(self, seed: int, restrict: tuple[bool, bool, bool]) -> None:
        self.random = random.Random(seed)
        self.restrict = restrict
        self.blocks: list[Block] = []
        self.label = "entry"
        self.phis: list[Phi] = []
        self.body: list[Instruction] = []
        self.counter = 0
        self.budget = self.random.randint(5, 40)
        self.objects: list[Alloca] = []

    def function(self) -> Function:
        env: Environment = {p.name: p for p in PARAMETERS}
        env.update({"s": const_float(F64, 0.0), "t": const_float(F32, 1.5), "k": const_int(I32, 3), "u": Undef(I32)})
        self.statements(env, 0, [])
        self.close(Return(self.fresh_sum(env)))
        parameters = [Parameter(p, r) for p, r in zip((A, B, C), self.restrict, strict=True)]
        return Function("random", (*parameters, *(Parameter(p) for p in PARAMETERS)), F64, tuple(self.blocks))

    def fresh_sum(self, env: Environment) -> Value:
        total: Value = env["s"]
        for name in ("k", "m", "x"):
            value = env[name]
            if value.type != F64:
                value = self.emit(Convert(self.var("r", F64), "sitofp", value))
            total = self.emit(Binary(self.var("r", F64), "fadd", total, value))
        return total

    # blocks

    def name(self, base: str) -> str:
        self.counter += 1
        return f"{base}.{self.counter}"

    def var(self, base: str, type_: Type) -> Var:
        return Var(self.name(base), type_)

    def emit(self, instruction: Instruction) -> Var:
        self.body.append(instruction)
        assert instruction.result is not None
        return instruction.result

    def close(self, terminator: Terminator) -> str:
        self.blocks.append(Block(self.label, tuple(self.phis), tuple(self.body), terminator))
        self.phis, self.body = [], []
        return self.label

    def open(self, label: str) -> None:
        self.label = label

    def join(self, label: str, edges: list[tuple[str, Environment]], redundant: bool = False) -> Environment:
        """Opens a block with a phi for every variable that differs (or all, when `redundant`)."""
        self.open(label)
        env: Environment = {}
        for name in edges[0][1]:
            values = [edge[name] for _, edge in edges]
            if redundant or any(value != values[0] for value in values):
                phi = Phi(self.var(name, values[0].type), tuple((source, e[name]) for source, e in edges))
                self.phis.append(phi)
                env[name] = phi.result
            else:
                env[name] = values[0]
        return env

    # statements

    def statements(self, env: Environment, depth: int, loops: list[LoopContext]) -> bool:
        """A few statements; False when control does not come out at the end (`break`)."""
        visible = len(self.objects)
        for _ in range(self.random.randint(1, 4)):
            self.budget -= 1
            if not self.statement(env, depth, loops):
                return False
        del self.objects[visible:]
        return True

    def statement(self, env: Environment, depth: int, loops: list[LoopContext]) -> bool:
        kinds = ["assign"] * 5 + ["store"] * 3 + ["accumulate"] * 3 + ["object"] * 2
        if depth < 3 and self.budget > 0:
            kinds += ["if"] * 3 + ["ifelse"] * 2 + ["and"] * 2 + ["for"] * 4 + ["dowhile"]
        if loops and depth < 4:
            kinds += ["break", "continue"] if self.random.random() < 0.3 else []
        match self.random.choice(kinds):
            case "assign":
                name = self.random.choice(["k", "m", "x", "y", "s", "t", "n"])
                env[name] = self.expression(env, env[name].type, 2)
            case "store":
                self.store(env)
            case "accumulate":
                self.accumulate(env)
            case "object":
                self.object(env)
            case "if":
                self.branch(env, depth, loops, both=False)
            case "ifelse":
                self.branch(env, depth, loops, both=True)
            case "and":
                self.short_circuit(env, depth, loops)
            case "for":
                self.counted_loop(env, depth, loops)
            case "dowhile":
                self.do_while(env, depth, loops)
            case kind:
                self.jump_out(env, loops[-1], kind)
        return True

    def object(self, env: Environment) -> None:
        """A new stack object; most of the time all its elements get values."""
        type_ = self.random.choice([F64, I32])
        alloca = Alloca(self.var("o", PTR), type_, self.random.choice([1, 2, 4, 8]))
        self.emit(alloca)
        for index in range(alloca.count):
            if self.random.random() < 0.95:
                place = (const_int(I64, index),)
                pointer = self.emit(ElementPointer(self.var("p", PTR), type_, alloca.result, place, ()))
                self.body.append(Store(self.expression(env, type_, 1), pointer))
        self.objects.append(alloca)

    def store(self, env: Environment) -> None:
        pointer, type_ = self.address(env)
        self.body.append(Store(self.expression(env, type_, 1), pointer))

    def accumulate(self, env: Environment) -> None:
        pointer, type_ = self.address(env)
        old = self.emit(Load(self.var("old", type_), pointer))
        op = "add" if isinstance(type_, IntType) else "fadd"
        new = self.emit(Binary(self.var("new", type_), op, old, self.expression(env, type_, 1)))  # type: ignore[arg-type]
        self.body.append(Store(new, pointer))

    def branch(self, env: Environment, depth: int, loops: list[LoopContext], both: bool) -> None:
        then, otherwise, join = self.name("then"), self.name("else"), self.name("join")
        head = self.close(Branch(self.condition(env), then, otherwise if both else join))
        edges: list[tuple[str, Environment]] = []
        for label in (then, otherwise) if both else (then,):
            self.open(label)
            arm = dict(env)
            self.statements(arm, depth + 1, loops)
            edges.append((self.close(Jump(join)), arm))
        if not both:
            edges.append((head, dict(env)))
        env.update(self.join(join, edges))

    def short_circuit(self, env: Environment, depth: int, loops: list[LoopContext]) -> None:
        second, then, join = self.name("second"), self.name("then"), self.name("join")
        conjunction = self.random.random() < 0.5
        targets = (second, join) if conjunction else (then, second)
        first = self.close(Branch(self.condition(env), *targets))
        self.open(second)
        later = dict(env)
        if self.random.random() < 0.5:
            name = self.random.choice(["k", "s", "x"])
            later[name] = self.expression(later, later[name].type, 2)
        both = self.close(Branch(self.condition(later), then, join))
        edges = [(both, dict(later))] + ([(first, dict(env))] if conjunction else [])
        arm = dict(later)
        if conjunction:
            self.open(then)
        else:
            arm = self.join(then, [(first, dict(env)), (both, later)])
        self.statements(arm, depth + 1, loops)
        edges.append((self.close(Jump(join)), arm))
        env.update(self.join(join, edges))

    def jump_out(self, env: Environment, loop: LoopContext, kind: str) -> None:
        out, stay = self.name("out"), self.name("stay")
        self.close(Branch(self.condition(env), out, stay))
        self.open(out)
        edges, target = (loop.breaks, loop.exit) if kind == "break" else (loop.continues, loop.latch)
        edges.append((self.close(Jump(target)), dict(env)))
        self.open(stay)

    def counted_loop(self, env: Environment, depth: int, loops: list[LoopContext]) -> None:
        header, body, latch, end = (self.name(b) for b in ("loop", "body", "latch", "exit"))
        bound: Value = env["n"] if self.random.random() < 0.4 else const_int(I32, self.random.randint(0, 4))
        limit = self.emit(Binary(self.var("limit", I32), "and", bound, const_int(I32, 7)))
        before = self.close(Jump(header))
        variable = self.var("i", I32)
        self.open(header)
        entering = dict(env)
        inside: Environment = {name: self.var(name, value.type) for name, value in env.items()}
        test = CompareInt(self.var("test", I1), "slt", variable, limit)
        outer_body = len(self.blocks)
        self.body.append(test)
        self.close(Branch(test.result, body, end))
        self.open(body)
        current = {**inside, f"i{depth}": variable}
        context = LoopContext(end, latch)
        self.statements(current, depth + 1, [*loops, context])
        current.pop(f"i{depth}")
        edges = [(self.close(Jump(latch)), current)]
        edges += [(label, {k: v for k, v in e.items() if k in inside}) for label, e in context.continues]
        after = self.join(latch, edges)
        following = self.emit(Binary(self.var("next", I32), "add", variable, const_int(I32, 1), nsw=True))
        self.close(Jump(header))
        phis = [Phi(variable, ((before, const_int(I32, 0)), (latch, following)))]
        for name, var in inside.items():
            assert isinstance(var, Var)
            phis.append(Phi(var, ((before, entering[name]), (latch, after[name]))))
        head = self.blocks[outer_body]
        self.blocks[outer_body] = Block(head.label, tuple(phis), head.body, head.terminator)
        leaving = [(header, inside), *((b, {k: v for k, v in e.items() if k in inside}) for b, e in context.breaks)]
        env.update(self.join(end, leaving))

    def do_while(self, env: Environment, depth: int, loops: list[LoopContext]) -> None:
        header, end = self.name("repeat"), self.name("exit")
        before = self.close(Jump(header))
        self.open(header)
        variable = self.var("i", I32)
        inside: Environment = {name: self.var(name, value.type) for name, value in env.items()}
        first = len(self.blocks)
        entering = dict(env)
        current = {**inside, f"i{depth}": variable}
        self.statements(current, depth + 1, [])
        current.pop(f"i{depth}")
        following = self.emit(Binary(self.var("next", I32), "add", variable, const_int(I32, 1)))
        again = self.emit(CompareInt(self.var("again", I1), "slt", following, const_int(I32, self.random.randint(1, 3))))
        latch = self.close(Branch(again, header, end))
        phis = [Phi(variable, ((before, const_int(I32, 0)), (latch, following)))]
        for name, var in inside.items():
            assert isinstance(var, Var)
            phis.append(Phi(var, ((before, entering[name]), (latch, current[name]))))
        head = self.blocks[first]
        self.blocks[first] = Block(head.label, (*phis, *head.phis), head.body, head.terminator)
        self.open(end)
        env.update(current)

    # expressions

    def address(self, env: Environment) -> tuple[Value, Type]:
        if self.objects and self.random.random() < 0.5:
            return self.object_address(env, self.random.choice(self.objects))
        array = self.random.choice([A, A, B, B, C])
        type_: Type = I32 if array is C else F64
        index = self.index(env, ELEMENTS)
        if self.random.random() < 0.3:
            indices = (self.index(env, ELEMENTS // 4), self.index(env, 4))
            extents: tuple[Value, ...] = (const_int(I64, 4),)
        else:
            indices, extents = (index,), ()
        return self.emit(ElementPointer(self.var("p", PTR), type_, array, indices, extents)), type_

    def object_address(self, env: Environment, alloca: Alloca) -> tuple[Value, Type]:
        """An element of a stack object, or perhaps one of an array."""
        element = alloca.element
        place: tuple[Value, ...] = (self.index(env, alloca.count),)
        extents: tuple[Value, ...] = ()
        if alloca.count >= 4 and self.random.random() < 0.4:
            place, extents = (self.index(env, alloca.count // 2), self.index(env, 2)), (const_int(I64, 2),)
        pointer = self.emit(ElementPointer(self.var("p", PTR), element, alloca.result, place, extents))
        if self.random.random() < 0.15:
            index = self.index(env, ELEMENTS)
            array = self.random.choice([A, B]) if element == F64 else C
            other = self.emit(ElementPointer(self.var("p", PTR), element, array, (index,), ()))
            pointer = self.emit(Select(self.var("p", PTR), self.condition(env), pointer, other))
        return pointer, element

    def index(self, env: Environment, size: int) -> Value:
        """A subscript that is below `size`, or may be beyond it a little, seldom."""
        counters = [value for name, value in env.items() if name.startswith("i")]
        kind = self.random.random()
        if kind < 0.35:
            return const_int(I64, self.random.randrange(size))
        if counters and kind < 0.7 and size > 4:
            value: Value = self.random.choice(counters)
            if self.random.random() < 0.5:
                step = const_int(I32, self.random.randint(0, 6))
                value = self.emit(Binary(self.var("j", I32), "add", value, step, nsw=True))
            return self.emit(Convert(self.var("w", I64), "sext", value))
        if kind < 0.72 and size == ELEMENTS:
            return self.expression(env, I64, 1)
        return self.emit(Binary(self.var("w", I64), "and", self.expression(env, I64, 1), const_int(I64, size - 1)))

    def condition(self, env: Environment) -> Value:
        return self.expression(env, I1, 2)

    def expression(self, env: Environment, type_: Type, depth: int) -> Value:
        if depth == 0 or self.random.random() < 0.15:
            return self.leaf(env, type_)
        if type_ == I1:
            return self.truth(env, depth)
        if self.random.random() < 0.15:
            return self.emit(
                Select(
                    self.var("c", type_),
                    self.expression(env, I1, depth - 1),
                    self.expression(env, type_, depth - 1),
                    self.expression(env, type_, depth - 1),
                )
            )
        if type_ in (F64, I32) and self.random.random() < 0.25:
            pointer, element = self.address(env)
            if element == type_:
                return self.emit(Load(self.var("v", type_), pointer))
        if isinstance(type_, IntType):
            return self.integer(env, type_, depth)
        return self.number(env, type_, depth)

    def leaf(self, env: Environment, type_: Type) -> Value:
        fitting = [value for name, value in env.items() if value.type == type_ and (name != "u" or self.random.random() < 0.1)]
        if fitting and self.random.random() < 0.7:
            return self.random.choice(fitting)
        if isinstance(type_, IntType):
            return const_int(type_, self.random.choice([0, 1, -1, 2, 5, 31, 1 << (type_.bits - 1)]))
        assert type_ in (F32, F64)
        number = self.random.choice([0.0, -0.0, 1.0, -1.5, 0.1, float("inf"), 3e38])
        return const_float(F32 if type_ == F32 else F64, number)

    def truth(self, env: Environment, depth: int) -> Value:
        kind = self.random.choice(["int", "int", "float", "xor"])
        if kind == "xor":
            inner = self.expression(env, I1, depth - 1)
            return self.emit(Binary(self.var("not", I1), "xor", inner, Const(I1, 1)))
        if kind == "int":
            type_: Type = self.random.choice([I32, I64])
            left, right = self.expression(env, type_, depth - 1), self.expression(env, type_, depth - 1)
            predicate = self.random.choice(INT_PREDICATES)
            return self.emit(CompareInt(self.var("b", I1), predicate, left, right))  # type: ignore[arg-type]
        type_ = self.random.choice([F32, F64])
        left, right = self.expression(env, type_, depth - 1), self.expression(env, type_, depth - 1)
        float_predicate = self.random.choice(FLOAT_PREDICATES)
        return self.emit(CompareFloat(self.var("b", I1), float_predicate, left, right))  # type: ignore[arg-type]

    def integer(self, env: Environment, type_: IntType, depth: int) -> Value:
        kind = self.random.random()
        if kind < 0.12 and type_ == I32:
            return self.emit(Convert(self.var("z", I32), "zext", self.expression(env, I1, depth - 1)))
        if kind < 0.2 and type_ == I32:
            return self.emit(Convert(self.var("z", I32), "trunc", self.expression(env, I64, depth - 1)))
        if kind < 0.3 and type_ == I64:
            op = self.random.choice(["sext", "zext"])
            return self.emit(Convert(self.var("z", I64), op, self.expression(env, I32, depth - 1)))  # type: ignore[arg-type]
        if kind < 0.35:
            narrow = self.emit(Convert(self.var("z", I8), "trunc", self.expression(env, type_, depth - 1)))
            return self.emit(Convert(self.var("z", type_), self.random.choice(["sext", "zext"]), narrow))  # type: ignore[arg-type]
        if kind < 0.4:
            return self.emit(Convert(self.var("z", type_), "fptosi", self.expression(env, F64, depth - 1)))
        left, right = self.expression(env, type_, depth - 1), self.expression(env, type_, depth - 1)
        ops = ["add", "sub", "mul", "and", "or", "xor"] * 3 + ["sdiv", "udiv", "srem", "urem", "shl", "lshr", "ashr"]
        op = self.random.choice(ops)
        if op in ("shl", "lshr", "ashr") or (op in ("sdiv", "udiv", "srem", "urem") and self.random.random() < 0.8):
            right = const_int(type_, self.random.randint(1, 7))
        return self.emit(Binary(self.var("z", type_), op, left, right))  # type: ignore[arg-type]

    def number(self, env: Environment, type_: Type, depth: int) -> Value:
        kind = self.random.random()
        other = F32 if type_ == F64 else F64
        if kind < 0.1:
            return self.emit(Negate(self.var("z", type_), self.expression(env, type_, depth - 1)))
        if kind < 0.2:
            op = "fpext" if type_ == F64 else "fptrunc"
            return self.emit(Convert(self.var("z", type_), op, self.expression(env, other, depth - 1)))  # type: ignore[arg-type]
        if kind < 0.27:
            return self.emit(Convert(self.var("z", type_), "sitofp", self.expression(env, I32, depth - 1)))
        if kind < 0.35:
            callee = self.random.choice(["sqrt", "sin", "fabs", "floor"]) + ("" if type_ == F64 else "f")
            return self.emit(Call(self.var("z", type_), callee, (self.expression(env, type_, depth - 1),)))
        left, right = self.expression(env, type_, depth - 1), self.expression(env, type_, depth - 1)
        float_op = self.random.choice(["fadd", "fadd", "fsub", "fmul", "fdiv"])
        return self.emit(Binary(self.var("z", type_), float_op, left, right))  # type: ignore[arg-type]


def random_function(seed: int, restrict: tuple[bool, bool, bool] = (False, False, True)) -> Function:
    """The random function with this number."""
    return Generator(seed, restrict).function()
