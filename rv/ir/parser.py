"""The text form of P-LLVM, read (`rv.ir.printer` shows it). `;` starts a comment that ends with the line.

The parser only builds what is written; whether the function is well formed is the verifier's question.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeVar, cast

from rv.ir.function import Block, Function, Parameter
from rv.ir.hints import NO_HINTS, LoopHints, with_hint
from rv.ir.instructions import (
    CONVERT_OPS,
    FLOAT_BINARY_OPS,
    FLOAT_PREDICATES,
    HORIZONTAL_OPS,
    INT_BINARY_OPS,
    INT_PREDICATES,
    Alloca,
    Binary,
    BinaryOp,
    Branch,
    Call,
    CompareFloat,
    CompareInt,
    Convert,
    ConvertOp,
    ElementPointer,
    FloatPredicate,
    Freeze,
    Horizontal,
    HorizontalOp,
    Instruction,
    IntPredicate,
    Jump,
    Load,
    Mask,
    Negate,
    Phi,
    Return,
    Select,
    Store,
    Terminator,
)
from rv.ir.source import Span
from rv.ir.types import I1, I64, NAMED_TYPES, PTR, VOID, FloatType, IntType, PointerType, Type
from rv.ir.values import TRUE, Const, Undef, Value, Var, const_float, const_int

_TOKEN: Final = re.compile(
    r"""(?P<skip>\s+|;[^\n]*)
    | (?P<string>"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*")
    | (?P<nan>nan\(0x[0-9a-f]+\))
    | (?P<number>-?(?:0x[0-9a-f]+(?:\.[0-9a-f]*)?p[+-]?\d+|inf\b|\d+(?:\.\d+(?:e[+-]?\d+)?)?(?![\w.$])))
    | (?P<variable>%[\w.$-]+)
    | (?P<global>@[\w.$]+)
    | (?P<word>[\w.$-]+)
    | (?P<sign>[(){}\[\],:=])""",
    re.VERBOSE,
)

T = TypeVar("T")


class ParseError(Exception):
    """The text is not P-LLVM; `line` and `column` count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(f"{line}:{column}: {message}")
        self.message, self.line, self.column = message, line, column


def parse_function(text: str) -> Function:
    """The one function in `text`; ParseError when there is another number of them or the text is malformed."""
    parser = _Parser(text)
    function = parser.function()
    parser.expect("")
    return function


def parse_functions(text: str, file: str = "") -> tuple[Function, ...]:
    """All functions in `text`; with the name of its `file`, functions, parameters and statements know their places in it."""
    parser = _Parser(text, file)
    found: list[Function] = []
    while parser.token.text:
        found.append(parser.function())
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    position: int


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _error(text, position, f"unexpected character {text[position]!r}")
        if match.lastgroup != "skip":
            found.append(_Token(str(match.lastgroup), match.group(), position))
        position = match.end()
    return [*found, _Token("end", "", len(text))]


def _error(text: str, position: int, message: str) -> ParseError:
    return ParseError(message, text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position))


class _Parser:
    """Recursive descent over the tokens; one method a construct."""

    def __init__(self, text: str, file: str = "") -> None:
        self.text = text
        self.file = file
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.tokens = _tokens(text)
        self.index = 0

    @property
    def token(self) -> _Token:
        return self.tokens[self.index]

    def span(self, first: _Token) -> Span | None:
        """The place from a token to the one that was taken last, or to the end of the first one's line."""
        if not self.file:
            return None
        last, start = self.tokens[self.index - 1], first.position
        line = bisect.bisect_right(self.starts, start)
        behind = self.starts[line] - 1 if line < len(self.starts) else len(self.text)
        length = min(last.position + len(last.text), behind) - start
        return Span(self.file, line, start - self.starts[line - 1] + 1, length)

    def fail(self, message: str) -> ParseError:
        return _error(self.text, self.token.position, message)

    def take(self, kind: str) -> str:
        if self.token.kind != kind:
            raise self.fail(f"expected a {kind}, found {self.token.text or 'the end'!r}")
        text = self.token.text
        self.index += kind != "end"
        return text

    def accept(self, text: str) -> bool:
        found = self.token.text == text and self.token.kind in ("word", "sign")
        self.index += found
        return found

    def expect(self, text: str) -> None:
        if self.token.text != text:
            raise self.fail(f"expected {text or 'the end'!r}, found {self.token.text or 'the end'!r}")
        self.index += text != ""

    def separated(self, item: Callable[[], T], closing: str) -> tuple[T, ...]:
        """Items with commas between them up to the closing sign, which is consumed."""
        found: list[T] = []
        while not self.accept(closing):
            if found:
                self.expect(",")
            found.append(item())
        return tuple(found)

    def label(self) -> str:
        """A block's name; one that looks like a number is a name all the same."""
        if self.token.kind == "number":
            return self.take("number")
        return self.take("word")

    def type(self) -> Type:
        name = self.token.text
        if name not in NAMED_TYPES:
            raise self.fail(f"expected a type, found {name or 'the end'!r}")
        self.index += 1
        return NAMED_TYPES[name]

    def function(self) -> Function:
        first = self.token
        self.expect("define")
        result = self.type()
        name = self.take("global")[1:]
        span = self.span(first)
        self.expect("(")
        parameters = self.separated(self.parameter, ")")
        self.expect("{")
        blocks: list[Block] = []
        while not self.accept("}"):
            blocks.append(self.block())
        if not blocks:
            raise self.fail("a function has at least one block")
        return Function(name, parameters, result, tuple(blocks), span)

    def parameter(self) -> Parameter:
        first = self.token
        type_ = self.type()
        restrict = self.accept("restrict")
        own = self.accept("own")
        return Parameter(Var(self.take("variable")[1:], type_), restrict, own, self.span(first))

    def block(self) -> Block:
        first = self.token
        label = self.label()
        self.expect(":")
        span = self.span(first)
        predicate = self.value(I1) if self.accept("predicate") else TRUE
        hints = self.hints() if self.accept("hints") else NO_HINTS
        phis: list[Phi] = []
        body: list[Instruction] = []
        while True:
            match self.placed_statement():
                case Phi() as phi:
                    if body:
                        raise self.fail("a phi stands before all other instructions of its block")
                    phis.append(phi)
                case (Jump() | Branch() | Return()) as terminator:
                    return Block(label, tuple(phis), tuple(body), terminator, hints, span, predicate)
                case instruction:
                    body.append(instruction)

    def hints(self) -> LoopHints:
        found = self.hint(NO_HINTS)
        while self.accept(","):
            found = self.hint(found)
        return found

    def hint(self, before: LoopHints) -> LoopHints:
        try:
            return with_hint(before, json.loads(self.take("string")))
        except ValueError as problem:
            raise self.fail(str(problem)) from None

    def placed_statement(self) -> Phi | Instruction | Terminator:
        first = self.token
        statement = self.statement()
        placed: Phi | Instruction | Terminator = replace(cast(Binary, statement), span=self.span(first))
        return placed

    def statement(self) -> Phi | Instruction | Terminator:
        if self.token.kind == "variable":
            name = self.take("variable")[1:]
            self.expect("=")
            return self.modified(self.definition(name))
        match self.take("word"):
            case "jump":
                return Jump(self.label())
            case "branch":
                condition = self.value(I1)
                self.expect(",")
                then = self.label()
                self.expect(",")
                return Branch(condition, then, self.label())
            case "return":
                type_ = self.type()
                return Return(None if type_ == VOID else self.value(type_))
            case "store":
                untyped = self.accept("untyped")
                value = self.value(self.type())
                return Store(value, self.after_comma(PTR), untyped=untyped)
            case "call":
                self.expect("void")
                callee, arguments, fixed = self.call()
                return Call(None, callee, arguments, fixed=fixed)
            case word:
                self.index -= 1
                raise self.fail(f"unknown instruction {word!r}")

    def modified(self, statement: Phi | Instruction) -> Phi | Instruction:
        """The statement with the modifier that follows it."""
        if not self.accept("total"):
            return statement
        if isinstance(statement, Phi | Alloca | Load | Store | Call | Mask):
            self.index -= 1
            raise self.fail("only instructions that compute can be total")
        return replace(statement, total=True)

    def definition(self, name: str) -> Phi | Instruction:
        opcode = self.take("word")
        if opcode in INT_BINARY_OPS or opcode in FLOAT_BINARY_OPS:
            nsw = self.accept("nsw")
            precise = opcode in FLOAT_BINARY_OPS and self.accept("precise")
            type_, left, right = self.pair()
            return Binary(Var(name, type_), cast(BinaryOp, opcode), left, right, nsw, precise=precise)
        if opcode in CONVERT_OPS:
            value = self.value(self.type())
            self.expect("to")
            return Convert(Var(name, self.type()), cast(ConvertOp, opcode), value)
        match opcode:
            case "phi":
                return self.phi(name)
            case "fneg":
                precise = self.accept("precise")
                value = self.value(self.type())
                return Negate(Var(name, value.type), value, precise=precise)
            case "freeze":
                value = self.value(self.type())
                return Freeze(Var(name, value.type), value)
            case "icmp":
                predicate = self.one_of(INT_PREDICATES)
                _, left, right = self.pair()
                return CompareInt(Var(name, I1), cast(IntPredicate, predicate), left, right)
            case "fcmp":
                predicate = self.one_of(FLOAT_PREDICATES)
                _, left, right = self.pair()
                return CompareFloat(Var(name, I1), cast(FloatPredicate, predicate), left, right)
            case "select":
                condition = self.value(I1)
                self.expect(",")
                type_, then, otherwise = self.pair()
                return Select(Var(name, type_), condition, then, otherwise)
            case "elemptr":
                return self.element_pointer(name)
            case "alloca":
                element = self.type()
                self.expect("x")
                return Alloca(Var(name, PTR), element, self.count())
            case "load":
                untyped = self.accept("untyped")
                type_ = self.type()
                return Load(Var(name, type_), self.after_comma(PTR), untyped=untyped)
            case "call":
                precise = self.accept("precise")
                type_ = self.type()
                callee, arguments, fixed = self.call()
                return Call(Var(name, type_), callee, arguments, precise=precise, fixed=fixed)
            case "mask":
                self.expect("(")
                self.expect(")")
                return Mask(Var(name, I1))
            case "horizontal":
                type_ = self.type()
                op = self.one_of(HORIZONTAL_OPS)
                self.expect("(")
                values = self.separated(lambda: self.value(self.type()), ")")
                return Horizontal(Var(name, type_), cast(HorizontalOp, op), values)
        self.index -= 1
        raise self.fail(f"unknown operation {opcode!r}")

    def phi(self, name: str) -> Phi:
        type_ = self.type()
        incoming = [self.edge(type_)]
        while self.accept(","):
            incoming.append(self.edge(type_))
        shadow = None
        if self.accept("shadow"):
            self.expect("(")
            shadow = self.value(type_)
            self.expect(")")
        return Phi(Var(name, type_), tuple(incoming), shadow=shadow)

    def edge(self, type_: Type) -> tuple[str, Value]:
        self.expect("[")
        value = self.value(type_)
        self.expect(",")
        label = self.label()
        self.expect("]")
        return label, value

    def element_pointer(self, name: str) -> ElementPointer:
        element = self.type()
        base = self.after_comma(PTR)
        self.expect("[")
        indices = self.separated(lambda: self.value(I64), "]")
        extents: tuple[Value, ...] = ()
        if self.accept("extents"):
            self.expect("[")
            extents = self.separated(lambda: self.value(I64), "]")
        return ElementPointer(Var(name, PTR), element, base, indices, extents)

    def count(self) -> int:
        text = self.take("number")
        if not text.isdecimal():
            self.index -= 1
            raise self.fail(f"expected a number of elements, found {text!r}")
        return int(text)

    def call(self) -> tuple[str, tuple[Value, ...], int | None]:
        """Callee, arguments, and how many of these stand before `...`."""
        callee = self.take("global")[1:]
        self.expect("(")
        found = self.separated(lambda: None if self.accept("...") else self.value(self.type()), ")")
        fixed = found.index(None) if None in found else None
        return callee, tuple(value for value in found if value is not None), fixed

    def pair(self) -> tuple[Type, Value, Value]:
        """`type left, right`"""
        type_ = self.type()
        left = self.value(type_)
        return type_, left, self.after_comma(type_)

    def after_comma(self, type_: Type) -> Value:
        self.expect(",")
        return self.value(type_)

    def one_of(self, words: tuple[str, ...]) -> str:
        if self.token.text not in words:
            raise self.fail(f"expected one of {', '.join(words)}, found {self.token.text!r}")
        return self.take("word")

    def value(self, type_: Type) -> Value:
        if self.token.kind == "variable":
            return Var(self.take("variable")[1:], type_)
        if self.accept("undef"):
            return Undef(type_)
        constant = self.constant(type_)
        if constant is None:
            raise self.fail(f"expected a value of type {type_}, found {self.token.text or 'the end'!r}")
        self.index += 1
        return constant

    def constant(self, type_: Type) -> Const | None:
        kind, text = self.token.kind, self.token.text
        match type_:
            case IntType() if kind == "number" and re.fullmatch(r"-?\d+", text):
                return const_int(type_, int(text))
            case FloatType() if kind == "nan":
                return Const(type_, int(text[len("nan(") : -1], 16))
            case FloatType() if kind == "number":
                return const_float(type_, float.fromhex(text) if "x" in text else float(text))
            case PointerType() if text == "null":
                return Const(type_, 0)
            case _:
                return None
