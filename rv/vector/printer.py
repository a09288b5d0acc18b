"""The text form of the vector IR, written. `rv.vector.parser` reads it back; printing what was read gives the same text.

    module arrays(A, B)

    define void @scale(ptr distinct %A, ptr distinct %B, i64 %n) {
    start.0:
      jump head.0
    head.0:
      %.1: i64 = phi [i64 0, start.0], [%.5, body.0]
      %.2: i1 = icmp ult %.1, %n
      branch %.2, body.0, done.0
    body.0: free
      %.3: ptr = address %A, %.1 of double
      %.4: <8 x double> = load %.3 in "A" align 8 array A place [0] "A" 8
      %.6: <8 x double> = fmul %.4, <8 x double> 0x1p-1
      %.7: ptr = address %B, %.1 of double
      store %.6, %.7 in "B" align 8 array B place [0] "B" 8
      %.5: i64 = add %.1, i64 8
      jump head.0
    done.0:
      return
    }

Every result is shown with its type. Constants stand behind their type, once for all lanes when these are equal, else lane by lane
in angle brackets; floating-point numbers are hexadecimal, NaNs show their bits. A block is `free` when the order of its
statements is still to be chosen. What a block was written for is not printed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from rv.ir.types import FloatMode
from rv.vector.function import Block, Data, External, Function, Module, OpaqueConstant, Parameter, StackObject, Statement
from rv.vector.instructions import (
    Access,
    AddDots,
    Address,
    Begin,
    Binary,
    Branch,
    Broadcast,
    Call,
    CallAt,
    Compare,
    Convert,
    Elementwise,
    Extract,
    Fence,
    Field,
    Freeze,
    Gather,
    Hide,
    Insert,
    Instruction,
    Join,
    Jump,
    Load,
    LoadApart,
    Member,
    MemoryInstruction,
    Native,
    Negate,
    Prefetch,
    Quotients,
    Reduce,
    Return,
    Roots,
    Scatter,
    Select,
    Shuffle,
    Store,
    StoreTogether,
    SumNeighbours,
    Terminator,
    Unreachable,
    is_floating,
)
from rv.vector.values import Constant, Operand, Poison, Register, Symbol, Undefined


def print_module(module: Module) -> str:
    """The functions, after the arrays that accesses name as theirs alone."""
    head = f"module arrays({', '.join(module.arrays)})"
    return "\n\n".join(["\n".join([head, *map(_data, module.data)]), *map(print_function, module.functions)]) + "\n"


def _data(data: Data | External) -> str:
    match data:
        case Data(name=name, content=content):
            return f"data @{name} {json.dumps(content.decode('latin-1'))}"
        case External(name=name):
            return f"external @{name}"


def print_function(function: Function) -> str:
    words = [*(["internal"] if function.internal else []), *(["inlined"] if function.inlined else [])]
    words += [word for word in (function.extension, function.convention) if word]
    parameters = ", ".join(map(_parameter, function.parameters))
    head = f"define {''.join(f'{word} ' for word in words)}{function.result} @{function.name}({parameters}) {{"
    return "\n".join([head, *(f"  {_prologue(entry)}" for entry in function.prologue), *map(_block, function.blocks), "}"])


def _parameter(parameter: Parameter) -> str:
    distinct = " distinct" if parameter.distinct else ""
    result = f" result {parameter.result} align {parameter.align}" if parameter.result else ""
    copied = f" copied {parameter.copied} align {parameter.align}" if parameter.copied else ""
    return f"{parameter.register.type}{distinct}{result}{copied} {parameter.register}"


def _prologue(entry: StackObject | OpaqueConstant) -> str:
    match entry:
        case StackObject(result=result, type=type_, count=count, align=align):
            return f"{result}: {result.type} = stack {type_} x {count} align {align}"
        case OpaqueConstant(result=result, value=value):
            return f"{result}: {result.type} = opaque {operand_text(value)}"


def _block(block: Block) -> str:
    lines = [f"{block.label}:{'' if block.fixed else ' free'}"]
    for phi in block.phis:
        pairs = ", ".join(f"[{operand_text(value)}, {label}]" for value, label in phi.incoming)
        lines.append(f"  {phi.result}: {phi.result.type} = phi {pairs}")
    lines += [f"  {print_statement(statement)}" for statement in block.body]
    return "\n".join([*lines, f"  {_terminator(block.terminator)}"])


def print_statement(statement: Statement) -> str:
    """One line."""
    text = instruction_text(statement.instruction)
    return text if statement.result is None else f"{statement.result}: {statement.result.type} = {text}"


def operand_text(operand: Operand) -> str:
    match operand:
        case Register():
            return str(operand)
        case Constant(lanes=lanes):
            scalars = operand.scalars
            one = len(set(lanes)) == 1
            return f"{operand.type} {scalars[0] if one else '<' + ', '.join(map(str, scalars)) + '>'}"
        case Undefined(type=type_):
            return f"{type_} undef"
        case Poison(type=type_):
            return f"{type_} poison"
        case Symbol(name=name):
            return f"@{name}"


def _list(operands: Sequence[Operand]) -> str:
    return ", ".join(map(operand_text, operands))


def _groups(groups: Sequence[Sequence[Operand]]) -> str:
    return ", ".join(f"({_list(group)})" for group in groups)


def _mode(mode: FloatMode) -> str:
    return "" if mode == "strict" else f"{mode} "


def instruction_text(instruction: Instruction) -> str:
    """What stands behind the result."""
    match instruction:
        case Binary(op=op, left=left, right=right, mode=mode, promise=promise):
            return f"{op} {_mode(mode)}{f'{promise} ' if promise else ''}{_list([left, right])}"
        case Negate(value=value, mode=mode):
            return f"fneg {_mode(mode)}{_list([value])}"
        case Compare(predicate=predicate, left=left, right=right):
            return f"{'fcmp' if is_floating(left.type) else 'icmp'} {predicate} {_list([left, right])}"
        case Select(condition=condition, then=then, otherwise=otherwise):
            return f"select {_list([condition, then, otherwise])}"
        case Convert(op=op, value=value):
            return f"{op} {_list([value])}"
        case Freeze(value=value):
            return f"freeze {_list([value])}"
        case Hide(value=value):
            return f"hide {_list([value])}"
        case Elementwise(name=name, operands=operands, mode=mode):
            return f"each {name} {_mode(mode)}{_list(operands)}"
        case Native(name=name, operands=operands):
            return f"native {name} {_list(operands)}"
        case SumNeighbours(op=op, operands=operands):
            return f"neighbours {op} {_list(operands)}"
        case AddDots(so_far=so_far, left=left, right=right, signs=signs):
            return f"dots {' '.join('signed' if sign else 'unsigned' for sign in signs)} {_list([so_far, left, right])}"
        case Quotients(groups=groups, never_small=never_small, mode=mode):
            return f"quotients {_mode(mode)}{'large ' if never_small else ''}{_groups(groups)}"
        case Roots(groups=groups, mode=mode):
            return f"roots {_mode(mode)}{_groups(groups)}"
        case Broadcast(value=value):
            return f"broadcast {_list([value])}"
        case Shuffle(left=left, right=right, mask=mask):
            return f"shuffle {_list([left, right])} [{', '.join('_' if lane < 0 else str(lane) for lane in mask)}]"
        case Insert(vector=vector, value=value, lane=lane):
            return f"insert {_list([vector, value])} at {lane}"
        case Extract(vector=vector, lane=number):
            return f"extract {_list([vector, number])}"
        case Reduce(op=op, vector=vector, start=start, mode=mode):
            return f"reduce {op} {_mode(mode)}{_list([vector] if start is None else [vector, start])}"
        case Address(base=base, index=index, element=element, count=count):
            return f"address {_list([base, index])} of {element}{f' x {count}' if count != 1 else ''}"
        case Field(base=base, tuple=members, number=number):
            return f"field {_list([base])} of {members} {number}"
        case Member(tuple=whole, number=number):
            return f"member {_list([whole])} {number}"
        case Join(members=members):
            return f"join {_list(members)}"
        case Call(callee=callee, arguments=arguments, pure=pure, type=type_):
            return f"call {'' if pure else 'effect '}{type_} @{callee}({_list(arguments)})"
        case CallAt(pointer=pointer, arguments=arguments, type=type_):
            return f"call at {_list([pointer])} {type_} ({_list(arguments)})"
        case _:
            return _memory_text(instruction)


def _memory_text(instruction: MemoryInstruction) -> str:
    match instruction:
        case Load(pointer=pointer, access=access, mask=mask, zeroing=zeroing):
            return f"load {_list([pointer])}{_masked(mask)}{' zeroing' if zeroing else ''} {_access(access)}"
        case LoadApart(pointer=pointer, access=access):
            return f"load_apart {_list([pointer])} {_access(access)}"
        case StoreTogether(values=values, pointer=pointer, access=access):
            return f"store_together {_list([*values, pointer])} {_access(access)}"
        case Gather(pointers=pointers, mask=mask, access=access):
            return f"gather {_list([pointers, mask])} {_access(access)}"
        case Store(value=value, pointer=pointer, access=access, mask=mask, streaming=streaming):
            return f"store {_list([value, pointer])}{_masked(mask)}{' streaming' if streaming else ''} {_access(access)}"
        case Scatter(value=value, pointers=pointers, mask=mask, access=access):
            return f"scatter {_list([value, pointers, mask])} {_access(access)}"
        case Begin(pointer=pointer, access=access):
            return f"begin {_list([pointer])} {_access(access)}"
        case Fence():
            return "fence"
        case Prefetch(pointer=pointer, writing=writing):
            return f"prefetch {'writing ' if writing else ''}{_list([pointer])}"


def _masked(mask: Operand | None) -> str:
    return "" if mask is None else f" mask {operand_text(mask)}"


def _access(access: Access) -> str:
    words = [f"in {json.dumps(access.memory)} align {access.align}"]
    words += [f"array {access.array}"] if access.array else []
    words += ["written"] if access.written else []
    if access.place is not None:
        start = ", ".join(map(str, access.place.start))
        words.append(f"place [{start}] {json.dumps(access.place.array)} {access.place.length}")
    return " ".join(words)


def _terminator(terminator: Terminator) -> str:
    match terminator:
        case Jump(target=target, vectorized=vectorized):
            return f"jump {'vectorized ' if vectorized else ''}{target}"
        case Branch(condition=condition, then=then, otherwise=otherwise, likely=likely):
            return f"branch {'likely ' if likely else ''}{operand_text(condition)}, {then}, {otherwise}"
        case Return(value=value):
            return "return" if value is None else f"return {operand_text(value)}"
        case Unreachable():
            return "unreachable"
