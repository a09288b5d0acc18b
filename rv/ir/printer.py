"""The text form of P-LLVM, written. `rv.ir.parser` reads it back; printing what was read gives the same text.

    define void @scale(ptr restrict %A, i64 %n, double %s) {
    entry:
      jump loop
    loop: hints "lanes", "simd"
      %i = phi i64 [0, entry], [%i.next, body]
      %more = icmp slt i64 %i, %n
      branch %more, body, done
    body:
      %p = elemptr double, %A [%i]
      %x = load double, %p
      %y = fmul double %x, %s
      store double %y, %p
      %i.next = add nsw i64 %i, 1
      jump loop
    done:
      return void
    }

Floating-point constants are hexadecimal (exact), NaNs show their bits: `nan(0x7ff8000000000000)`. Spans are not printed.
What threads need:

    body: predicate %live hints "assumed"
      %x = phi double [%a, left], [%b, right] shadow(%c)
      %m = mask()
      %q = xor i1 %m, 1 total
      %n = horizontal double reduce_fadd(double %x)
      %a = alloca double x 16

Floating-point operations and calls that no mode of arithmetic may change: `fadd precise double %x, %y`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from rv.ir.function import Block, Function, Parameter
from rv.ir.hints import hint_texts
from rv.ir.instructions import (
    Alloca,
    Binary,
    Branch,
    Call,
    CompareFloat,
    CompareInt,
    Convert,
    ElementPointer,
    Freeze,
    Horizontal,
    Instruction,
    Jump,
    Load,
    Mask,
    Negate,
    Phi,
    Return,
    Select,
    Store,
    Terminator,
    is_total,
)
from rv.ir.values import TRUE, Value


def print_function(function: Function) -> str:
    """The text of a function, with a newline at its end."""
    parameters = ", ".join(_parameter(p) for p in function.parameters)
    lines = [f"define {function.result} @{function.name}({parameters}) {{"]
    for block in function.blocks:
        lines += _block(block)
    return "\n".join([*lines, "}", ""])


def print_functions(functions: Iterable[Function]) -> str:
    """The text of several functions with an empty line between them."""
    return "\n".join(print_function(function) for function in functions)


def print_statement(statement: Instruction | Phi | Terminator) -> str:
    """One line of text for an instruction, a phi or a terminator."""
    match statement:
        case Phi(result=result, incoming=incoming, shadow=shadow):
            edges = ", ".join(f"[{value}, {label}]" for label, value in incoming)
            return f"{result} = phi {result.type} {edges}" + ("" if shadow is None else f" shadow({shadow})")
        case Jump(target=target):
            return f"jump {target}"
        case Branch(condition=condition, then=then, otherwise=otherwise):
            return f"branch {condition}, {then}, {otherwise}"
        case Return(value=value):
            return "return void" if value is None else f"return {_typed(value)}"
        case Store():
            return _operation(statement)
        case Call(result=None):
            return _operation(statement)
        case Alloca() | Mask():
            return f"{statement.result} = {_operation(statement)}"
        case _:
            return f"{statement.result} = {_operation(statement)}{' total' if is_total(statement) else ''}"


def _operation(instruction: Instruction) -> str:
    """What stands to the right of the equals sign."""
    match instruction:
        case Binary(op=op, left=left, right=right, nsw=nsw, precise=precise):
            return f"{op}{' nsw' if nsw else ''}{' precise' if precise else ''} {_typed(left)}, {right}"
        case Negate(value=value, precise=precise):
            return f"fneg{' precise' if precise else ''} {_typed(value)}"
        case Freeze(value=value):
            return f"freeze {_typed(value)}"
        case CompareInt(predicate=predicate, left=left, right=right):
            return f"icmp {predicate} {_typed(left)}, {right}"
        case CompareFloat(predicate=predicate, left=left, right=right):
            return f"fcmp {predicate} {_typed(left)}, {right}"
        case Select(condition=condition, then=then, otherwise=otherwise):
            return f"select {condition}, {_typed(then)}, {otherwise}"
        case Convert(result=result, op=op, value=value):
            return f"{op} {_typed(value)} to {result.type}"
        case ElementPointer(element=element, base=base, indices=indices, extents=extents):
            lengths = f" extents [{_listed(extents)}]" if extents else ""
            return f"elemptr {element}, {base} [{_listed(indices)}]{lengths}"
        case Alloca(element=element, count=count):
            return f"alloca {element} x {count}"
        case Load(result=result, pointer=pointer, untyped=untyped):
            return f"load{' untyped' if untyped else ''} {result.type}, {pointer}"
        case Store(value=value, pointer=pointer, untyped=untyped):
            return f"store{' untyped' if untyped else ''} {_typed(value)}, {pointer}"
        case Call(result=result, callee=callee, arguments=arguments, precise=precise, fixed=fixed):
            type_ = "void" if result is None else str(result.type)
            texts = [_typed(a) for a in arguments]
            if fixed is not None:
                texts.insert(fixed, "...")
            return f"call{' precise' if precise else ''} {type_} @{callee}({', '.join(texts)})"
        case Mask():
            return "mask()"
        case Horizontal(result=result, op=op, operands=values):
            return f"horizontal {result.type} {op}({', '.join(_typed(v) for v in values)})"


def _block(block: Block) -> list[str]:
    hints = ", ".join(json.dumps(text, ensure_ascii=False) for text in hint_texts(block.hints))
    predicate = f" predicate {block.predicate}" if block.predicate != TRUE else ""
    head = f"{block.label}:{predicate}" + (f" hints {hints}" if hints else "")
    return [head, *(f"  {print_statement(s)}" for s in (*block.phis, *block.body, block.terminator))]


def _parameter(parameter: Parameter) -> str:
    words = f"{'restrict ' if parameter.restrict else ''}{'own ' if parameter.own else ''}"
    return f"{parameter.var.type} {words}{parameter.var}"


def _typed(value: Value) -> str:
    return f"{value.type} {value}"


def _listed(values: Iterable[Value]) -> str:
    return ", ".join(str(value) for value in values)
