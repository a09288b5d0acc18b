"""Lowering of statements to blocks. Loops keep the form that later stages expect:

    preheader -> header (phis, test) -> body ... latch (step) -> header,   header -> exit

for `for` and `while`; the test of `do` stands in its latch.
"""

from __future__ import annotations

from rv.ir.instructions import CompareInt
from rv.ir.types import I1, IntType
from rv.ir.values import Undef, const_int
from tensorrv.frontend.c.analyse.scope import Variable
from tensorrv.frontend.c.lower import objects as lower_objects
from tensorrv.frontend.c.lower import records as lower_records
from tensorrv.frontend.c.lower import values as lower_values
from tensorrv.frontend.c.lower.ssa import OpenBlock
from tensorrv.frontend.c.lower.state import Lowering
from tensorrv.frontend.c.tree.nodes import (
    Block,
    Break,
    Case,
    Continue,
    CopyArray,
    Declare,
    Evaluate,
    Goto,
    If,
    Label,
    Loop,
    Return,
    Statement,
    Switch,
    TypedFunction,
    Withdrawal,
)
from tensorrv.frontend.c.types.c_types import StructC


def body(s: Lowering, function: TypedFunction) -> None:
    """The whole of a function whose parameters have their values; ends with a jump to the frame's exit."""
    for declaration in function.prologue:
        statement(s, declaration)
    s.jumps |= bool(function.labels)
    s.frame.labels = {name: s.builder.new_block(name) for name in sorted(function.labels)}
    with s.builder.jumps_into(bool(function.labels)):
        statement(s, function.body)
        s.builder.jump(s.frame.exit)
    for label in s.frame.labels.values():
        s.builder.seal(label)


def statement(s: Lowering, node: Statement) -> None:
    """Append a statement to the current block and those it makes."""
    match node:
        case Declare(variable=variable, value=value, span=span) if s.in_memory(variable):
            lower_objects.declare(s, variable, value, span)
        case Declare(variable=Variable(type=StructC()) as variable, value=value, span=span):
            lower_records.declare(s, variable, value, span)
        case Declare(variable=variable, value=value):
            slot = s.frame.slot(variable)
            lower_values.store(s, slot, Undef(slot.type) if value is None else lower_values.value(s, value), node.span)
        case Evaluate(value=value):
            lower_values.effect(s, value)
        case CopyArray(target=target, source=source, span=span):
            lower_objects.copy(s, target, source, span)
        case Withdrawal(why=why, span=span):
            s.orders = why
            for header in s.loops:
                header.hints = header.hints.without_promise(why, span)
        case Block(statements=statements):
            for inner in statements:
                statement(s, inner)
        case If():
            _if(s, node)
        case Loop(kind="do"):
            _do(s, node)
        case Loop():
            _loop(s, node)
        case Switch():
            _switch(s, node)
        case Case(span=span):
            block = s.frame.cases[node]
            block.span = span if s.builder.entered else None
            s.builder.jump(block)
            s.builder.place(block)
        case Label(name=name, span=span):
            block = s.frame.labels[name]
            block.span = span
            s.builder.jump(block)
            s.builder.place(block, seal=False)
        case Goto(label=name, span=span):
            s.builder.jump(s.frame.labels[name], span)
            _unreached(s)
        case Break(span=span):
            s.builder.jump(s.frame.breaks[-1], span)
            _unreached(s)
        case Continue(span=span):
            s.builder.jump(s.frame.continues[-1], span)
            _unreached(s)
        case Return(value=value, span=span):
            if value is not None and s.frame.results:
                for slot, part in zip(s.frame.results, lower_records.values(s, value), strict=True):
                    s.builder.write(slot, part)
            elif value is not None and s.frame.result is not None:
                s.builder.write(s.frame.result, lower_values.value(s, value))
            s.builder.jump(s.frame.exit, span)
            _unreached(s)


def _unreached(s: Lowering) -> None:
    """What follows a jump is in a block that nothing reaches."""
    s.builder.place(s.builder.new_block("unreached"))


def _if(s: Lowering, node: If) -> None:
    builder = s.builder
    then, otherwise, join = builder.new_block("if.then"), builder.new_block("if.else"), builder.new_block("if.end")
    lower_values.condition(s, node.condition, then, otherwise)
    builder.place(then)
    statement(s, node.then)
    builder.jump(join)
    builder.place(otherwise)  # also without `else`: no edge from a branch to a join
    if node.otherwise is not None:
        statement(s, node.otherwise)
    builder.jump(join)
    builder.place(join)


def _header(s: Lowering, node: Loop) -> OpenBlock:
    header = s.builder.new_block(f"{node.kind}.{node.name}" if node.name else node.kind)
    header.hints, header.span = node.hints, node.span
    for variable in node.handed_on:
        if s.in_memory(variable):
            header.hints = header.hints.without_promise(f"`{variable.name}` is carried between iterations", node.span)
    s.builder.jump(header)
    s.builder.place(header, seal=False)
    return header


def _loop(s: Lowering, node: Loop) -> None:
    builder = s.builder
    header = _header(s, node)
    inside, latch = builder.new_block(f"{header.label}.body"), builder.new_block(f"{header.label}.latch")
    after = builder.new_block(f"{header.label}.exit")
    # a loop with breaks leaves to a block of its own before the breaks join
    done = builder.new_block(f"{header.label}.done") if _breaks(node.body) else after
    if node.test is None:
        builder.jump(inside)
    else:
        lower_values.condition(s, node.test, inside, done)
    builder.place(inside)
    _loop_body(s, node, header, latch, after)
    builder.place(latch)
    if node.step is not None:
        lower_values.effect(s, node.step)
    statement(s, node.last)
    builder.jump(header, node.span)
    builder.seal(header)
    if done is not after:
        builder.place(done)
        builder.jump(after)
    builder.place(after)


def _do(s: Lowering, node: Loop) -> None:
    builder = s.builder
    header = _header(s, node)
    latch, after = builder.new_block(f"{header.label}.latch"), builder.new_block(f"{header.label}.exit")
    done = builder.new_block(f"{header.label}.done") if _breaks(node.body) else after
    _loop_body(s, node, header, latch, after)
    builder.place(latch)
    assert node.test is not None
    lower_values.condition(s, node.test, header, done)
    builder.seal(header)
    if done is not after:
        builder.place(done)
        builder.jump(after)
    builder.place(after)


def _loop_body(s: Lowering, node: Loop, header: OpenBlock, latch: OpenBlock, after: OpenBlock) -> None:
    s.frame.breaks.append(after)
    s.frame.continues.append(latch)
    s.loops.append(header)
    statement(s, node.body)
    s.loops.pop()
    s.frame.breaks.pop()
    s.frame.continues.pop()
    s.builder.jump(latch)


def _breaks(node: Statement | None) -> bool:
    """Whether a loop body contains a `break` of its loop."""
    match node:
        case Break():
            return True
        case Block(statements=statements):
            return any(_breaks(inner) for inner in statements)
        case If(then=then, otherwise=otherwise):
            return _breaks(then) or _breaks(otherwise)
        case _:
            return False


def _switch(s: Lowering, node: Switch) -> None:
    """A chain of comparisons, then the body, into which they jump."""
    builder = s.builder
    selector = lower_values.value(s, node.value)
    assert isinstance(selector.type, IntType)
    blocks = [builder.new_block("default" if case.value is None else "case") for case in node.cases]
    s.frame.cases |= zip(node.cases, blocks, strict=True)
    after = builder.new_block("switch.end")
    fallback = after
    for case, block in zip(node.cases, blocks, strict=True):
        if case.value is None:
            fallback = block
            continue
        found = builder.temp(I1)
        builder.emit(CompareInt(found, "eq", selector, const_int(selector.type, case.value), case.span))
        following = builder.new_block("switch.next")
        builder.branch(found, block, following, case.span)
        builder.place(following)
    builder.jump(fallback)
    _unreached(s)
    s.frame.breaks.append(after)
    s.jumps |= node.entered
    with builder.jumps_into(node.entered):
        statement(s, node.body)
    s.frame.breaks.pop()
    builder.jump(after)
    builder.place(after)
