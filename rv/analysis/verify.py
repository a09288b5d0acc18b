"""The verifier: what a well-formed function of P-LLVM is (thesis, definition 11). Passes rely on it and must keep it.

Names
 1. Variables (parameters included) have unique names; blocks have unique labels; both consist of word characters, `.`, `$`, `-`.
 2. Every use names a defined variable with the type of its definition.
Blocks
 3. There is at least one block. The first one is the entry and has no predecessors. Targets of jumps and branches exist.
 4. The entry reaches every block (passes remove what it does not reach).
 5. A phi has exactly one value for each predecessor of its block; the entry has no phis.
Dominance
 6. A definition dominates its uses; a value of a phi is used at the end of its predecessor.
Types
 7. The operands and results of every instruction have the types that the table in `_check_types` demands; no value is void.
 8. An element pointer has at least one index and one extent less than indices; all are i64.
 9. Constants are in range of their type; the only pointer constant is null. Parameters are not void.
10. A return gives a value of the function's result type, and none in a void function.
Threads
11. A block's predicate is an i1 whose definition dominates the block strictly, or is one of its phis, or one of its instructions;
    up to that one all its instructions are total and none is `mask()` or an alloca (the activation is not known before).
12. A total instruction cannot trap: no division by what may be zero or -1.
13. A shadow has its phi's type, and its definition dominates the block strictly.
14. Operands and results of horizontal operations are those that `Horizontal` lists.
Stack objects
15. An alloca has a positive number of elements that take memory.
16. The address of a stack object, or one computed from it, is not stored, returned or passed to a call.
Functions
17. A function of the C library is called with the types that it has there, any other one with the same types everywhere, but
    for arguments behind those that a prototype has.

Not checked, because it depends on the threads (definition 11.3, predicated def-before-use): whenever an operand matters to what a
thread executes, that thread has executed the operand's definition, last and actively (definition 10). `rv.semantics.lockstep`
finds violations while it runs. Likewise: a thread that ends in a `return` is active there.
Not checked, because no verifier can: `restrict` and the ranges of subscripts hold (C's rules for the source program); `nsw`
results do not overflow; accesses are naturally aligned and inside their arrays; there are functions with the names and types of
those that are called (definition 11.2): the interpreters raise KeyError, and what becomes machine code calls the C library only.
"""

from __future__ import annotations

import re
from typing import Final

from rv.analysis.cfg.dominance import DominatorTree, dominator_tree
from rv.analysis.cfg.flow import FlowGraph, flow_graph
from rv.analysis.memory.stack_objects import stack_objects
from rv.analysis.values.effects import may_trap
from rv.ir.function import Block, Function
from rv.ir.instructions import (
    FLOAT_BINARY_OPS,
    Alloca,
    Binary,
    Branch,
    Call,
    CompareFloat,
    CompareInt,
    Convert,
    ConvertOp,
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
    operands,
)
from rv.ir.libm import signature
from rv.ir.printer import print_statement
from rv.ir.types import I1, I32, I64, PTR, VOID, FloatType, IntType, PointerType, Type, bits_of
from rv.ir.values import Const, Undef, Value, Var

_NAME: Final = re.compile(r"[\w.$-]+")
Statement = Instruction | Phi | Terminator
Places = dict[str, tuple[Type, str, int]]


class IllFormed(Exception):
    """A pass or a front end of ours produced malformed P-LLVM: a bug in this program, never in the user's input."""

    def __init__(self, function: str, block: str | None, statement: Statement | None, problem: str) -> None:
        where = f"function @{function}" + (f", block {block}" if block is not None else "")
        text = f": `{print_statement(statement)}`" if statement is not None else ""
        super().__init__(f"{problem} ({where}{text})")
        self.function, self.block, self.statement, self.problem = function, block, statement, problem


def verify(function: Function) -> Function:
    """The function itself when it is well formed; IllFormed otherwise."""
    _check_blocks(function)
    graph = flow_graph(function)
    dominators = dominator_tree(graph)
    places = _definition_places(function)
    _check_calls(function)
    for block, escape in stack_objects(function).escapes():
        raise IllFormed(function.name, block.label, escape, "the address of a stack object leaves the function")
    for block in function.blocks:
        _check_edges(function, graph, dominators, block)
        predicate_problem = _predicate_problem(places, dominators, block)
        if predicate_problem is not None:
            raise IllFormed(function.name, block.label, None, predicate_problem)
        for position, statement in enumerate((*block.phis, *block.body, block.terminator)):
            problem = _value_problem(statement) or _check_types(function, statement)
            if problem is None:
                problem = _use_problem(places, dominators, block, position, statement)
            if problem is not None:
                raise IllFormed(function.name, block.label, statement, problem)
    return function


def _check_blocks(function: Function) -> None:
    """Rules 1 (labels) and 3."""
    labels = [block.label for block in function.blocks]
    if not labels:
        raise IllFormed(function.name, None, None, "the function has no blocks")
    for label in labels:
        if labels.count(label) > 1 or not _NAME.fullmatch(label):
            raise IllFormed(function.name, label, None, "a label is malformed or not unique")
    known = set(labels)
    for block in function.blocks:
        for target in block.successors:
            if target not in known:
                raise IllFormed(function.name, block.label, block.terminator, f"there is no block {target}")


def _definition_places(function: Function) -> Places:
    """Type, block and position of every definition; rules 1 (variables) and 9 (parameters). Parameters stand at -1."""
    places: Places = {}

    def define(var: Var, block: str, position: int, statement: Statement | None) -> None:
        if var.name in places or not _NAME.fullmatch(var.name):
            raise IllFormed(function.name, block, statement, f"the name {var} is malformed or defined twice")
        if var.type == VOID:
            raise IllFormed(function.name, block, statement, f"{var} has no type")
        places[var.name] = (var.type, block, position)

    for parameter in function.parameters:
        define(parameter.var, function.entry.label, -1, None)
    for block in function.blocks:
        for position, statement in enumerate((*block.phis, *block.body)):
            if statement.result is not None:
                define(statement.result, block.label, position, statement)
    return places


def _check_edges(function: Function, graph: FlowGraph, dominators: DominatorTree, block: Block) -> None:
    """Rules 3 (entry), 4 and 5."""
    found = graph.predecessors[block.label]
    if block is function.entry and (found or block.phis):
        raise IllFormed(function.name, block.label, None, "the entry has predecessors or phis")
    if block.label not in dominators.immediate:
        raise IllFormed(function.name, block.label, None, "the entry does not reach the block")
    for phi in block.phis:
        if sorted(label for label, _ in phi.incoming) != sorted(found):
            raise IllFormed(function.name, block.label, phi, f"the phi does not match the predecessors {', '.join(found)}")


def _check_calls(function: Function) -> None:
    """Rule 17."""
    known: dict[str, tuple[Type, tuple[Type, ...]]] = {}
    for block, call in function.instructions():
        if not isinstance(call, Call):
            continue
        found = (VOID if call.result is None else call.result.type, tuple(value.type for value in call.arguments[: call.fixed]))
        expected = signature(call.callee) or known.setdefault(call.callee, found)
        if found != expected and (call.result is not None or found[1] != expected[1]):
            result, parameters = expected
            problem = f"{call.callee} takes ({', '.join(map(str, parameters))}) and gives {result}"
            raise IllFormed(function.name, block.label, call, problem)


def _use_problem(
    places: Places, dominators: DominatorTree, block: Block, position: int, statement: Statement
) -> str | None:
    """Rules 2 and 6."""
    if isinstance(statement, Phi) and (problem := _shadow_problem(places, dominators, block, statement.shadow)) is not None:
        return problem
    end = len(block.phis) + len(block.body) + 1
    uses = (
        [(value, label, 1 << 60) for label, value in statement.incoming]
        if isinstance(statement, Phi)
        else [(value, block.label, min(position, end)) for value in operands(statement)]
    )
    for value, label, place in uses:
        if not isinstance(value, Var):
            continue
        if value.name not in places:
            return f"{value} is not defined"
        type_, defining, defined_at = places[value.name]
        if type_ != value.type:
            return f"{value} is a {type_}, not a {value.type}"
        before = defined_at < place if defining == label else dominators.dominates(defining, label)
        if not before:
            return f"the definition of {value} does not dominate this use"
    return None


def _predicate_problem(places: Places, dominators: DominatorTree, block: Block) -> str | None:
    """Rules 2, 9 and 11."""
    predicate = block.predicate
    if predicate.type != I1 or isinstance(predicate, Undef):
        return f"the predicate {predicate} is no truth value"
    if not isinstance(predicate, Var):
        return _constant_problem(predicate)
    if predicate.name not in places:
        return f"the predicate {predicate} is not defined"
    type_, defining, defined_at = places[predicate.name]
    if type_ != I1:
        return f"{predicate} is a {type_}, not an i1"
    if defining != block.label:
        dominated = dominators.dominates(defining, block.label)
        return None if dominated else f"the definition of the predicate {predicate} does not dominate the block"
    for instruction in block.body[: max(defined_at - len(block.phis) + 1, 0)]:
        if isinstance(instruction, Alloca | Mask) or not is_total(instruction):
            return f"`{print_statement(instruction)}` cannot run before the block's predicate is known"
    return None


def _shadow_problem(places: Places, dominators: DominatorTree, block: Block, shadow: Value | None) -> str | None:
    """Rules 2 and 13 for the place of a shadow's definition."""
    if not isinstance(shadow, Var):
        return None
    if shadow.name not in places:
        return f"{shadow} is not defined"
    type_, defining, defined_at = places[shadow.name]
    if type_ != shadow.type:
        return f"{shadow} is a {type_}, not a {shadow.type}"
    before = defining != block.label and dominators.dominates(defining, block.label)
    return None if before or defined_at < 0 else f"the definition of the shadow {shadow} does not dominate the block"


def _value_problem(statement: Statement) -> str | None:
    """Rules 9 and 7 (void)."""
    for value in operands(statement):
        if value.type == VOID:
            return f"the operand {value} has no type"
        if isinstance(value, Const) and (problem := _constant_problem(value)) is not None:
            return problem
    return None


def _constant_problem(value: Const) -> str | None:
    if not 0 <= value.bits < 1 << bits_of(value.type):
        return "a constant is out of the range of its type"
    if isinstance(value.type, PointerType) and value.bits:
        return "a pointer constant is not null"
    return None


def _check_types(function: Function, statement: Statement) -> str | None:
    """Rules 7, 8 and 10: the problem with a statement's types, if there is one."""
    match statement:
        case Phi(result=result):
            return _same("the phi's values", result.type, *operands(statement))
        case Binary(result=result, op=op, left=left, right=right, nsw=nsw):
            kind = FloatType if op in FLOAT_BINARY_OPS else IntType
            if not isinstance(result.type, kind) or (nsw and kind is FloatType):
                return f"{op} does not work on {result.type}"
            if statement.total and may_trap(statement):
                return "a total division by what may be zero or -1"
            return _same("the operands", result.type, left, right)
        case Negate(result=result, value=value):
            return _same("the operand", result.type, value) if isinstance(value.type, FloatType) else "fneg of no number"
        case Freeze(result=result, value=value):
            return _same("the operand", result.type, value)
        case CompareInt(result=result, left=left, right=right):
            if not isinstance(left.type, IntType | PointerType) or result.type != I1:
                return "icmp compares integers or pointers and gives an i1"
            return _same("the operands", left.type, right)
        case CompareFloat(result=result, left=left, right=right):
            if not isinstance(left.type, FloatType) or result.type != I1:
                return "fcmp compares floating-point numbers and gives an i1"
            return _same("the operands", left.type, right)
        case Select(result=result, condition=condition, then=then, otherwise=otherwise):
            return _same("the condition", I1, condition) or _same("the operands", result.type, then, otherwise)
        case Convert(result=result, op=op, value=value):
            return None if _converts(op, value.type, result.type) else f"no {op} from {value.type} to {result.type}"
        case ElementPointer(result=result, base=base, indices=indices, extents=extents, element=element):
            if element == VOID or not indices or len(extents) != len(indices) - 1:
                return "an element pointer needs an element type, an index, and an extent for every further index"
            return _same("the addresses", PTR, result, base) or _same("indices and extents", I64, *indices, *extents)
        case Alloca(result=result, element=element, count=count):
            if element == VOID or count < 1:
                return "a stack object has a positive number of elements that take memory"
            return _same("the address", PTR, result)
        case Load(pointer=pointer) | Store(pointer=pointer):
            return _same("the address", PTR, pointer)
        case Mask(result=result):
            return _same("the mask", I1, result)
        case Horizontal():
            return _horizontal_problem(statement)
        case Call() | Jump():
            return None
        case Branch(condition=condition):
            return _same("the condition", I1, condition)
        case Return(value=None):
            return None if function.result == VOID else "the function returns a value"
        case Return(value=value):
            return _same("the returned value", function.result, *operands(statement))


def _horizontal_problem(horizontal: Horizontal) -> str | None:
    """Rule 14."""
    result = horizontal.result.type
    given = tuple(value.type for value in horizontal.operands)
    match horizontal.op:
        case "any" | "all":
            fits = result == I1 and given == (I1,)
        case "ballot":
            fits = result == I64 and given == (I1,)
        case "popcount":
            fits = result == I32 and given == (I1,)
        case "lane" | "lanes":
            fits = result == I32 and given == ()
        case "first" | "last":
            fits = given == (result,)
        case "shuffle":
            fits = given == (result, I32)
        case "reduce_fadd" | "reduce_fmul" | "reduce_fmin" | "reduce_fmax":
            fits = isinstance(result, FloatType) and given == (result,)
        case _:
            fits = isinstance(result, IntType) and given == (result,)
    return None if fits else f"no {horizontal.op} of ({', '.join(map(str, given))}) gives a {result}"


def _same(what: str, type_: Type, *values: Value) -> str | None:
    wrong = next((value for value in values if value.type != type_), None)
    return None if wrong is None else f"{what} must be {type_}, but {wrong} is {wrong.type}"


def _converts(op: ConvertOp, source: Type, result: Type) -> bool:
    """Whether the conversion exists: between the right kinds of types, and strictly narrowing or widening where it says so."""
    match op, source, result:
        case ("trunc", IntType(a), IntType(b)) | ("fptrunc", FloatType(a), FloatType(b)):
            return a > b
        case ("zext" | "sext", IntType(a), IntType(b)) | ("fpext", FloatType(a), FloatType(b)):
            return a < b
        case ("fptosi" | "fptoui", FloatType(), IntType()) | ("sitofp" | "uitofp", IntType(), FloatType()):
            return True
        case ("bitcast", IntType(a), FloatType(b)) | ("bitcast", FloatType(a), IntType(b)):
            return a == b
        case "ptrtoint", PointerType(), IntType(bits):
            return bits == 64
        case _:
            return False
