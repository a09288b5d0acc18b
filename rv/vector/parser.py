"""The text form of the vector IR, read (`rv.vector.printer` shows it). `;` starts a comment that ends with the line.

The parser only builds what is written; whether the module is well formed is the verifier's question. Registers are used before
they are defined (by phis, and because blocks stand in the order of their creation), so the types of results are collected first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NoReturn, TypeVar, cast

from rv.ir.instructions import CONVERT_OPS, FLOAT_BINARY_OPS, INT_BINARY_OPS
from rv.ir.types import NAMED_TYPES, FloatMode, FloatType, IntType, Type
from rv.ir.values import const_float, const_int
from rv.vector import instructions as v
from rv.vector.function import (
    Block,
    Data,
    Extension,
    External,
    Function,
    Module,
    OpaqueConstant,
    Parameter,
    Phi,
    StackObject,
    Statement,
)
from rv.vector.types import DataType, TupleType, ValueType, VectorType, element_of, lanes_of
from rv.vector.values import Constant, Operand, Poison, Register, Symbol, Undefined

_TOKEN: Final = re.compile(
    r"""(?P<skip>\s+|;[^\n]*)
    | (?P<string>"(?:[^"\\]|\\.)*")
    | (?P<nan>nan\(0x[0-9a-f]+\))
    | (?P<number>-?(?:0x[0-9a-f]+(?:\.[0-9a-f]*)?p[+-]?\d+|inf\b|\d+(?![\w.$])))
    | (?P<register>%[\w.$-]+)
    | (?P<global>@[\w.$]+)
    | (?P<word>[\w.$-]+)
    | (?P<sign>[(){}\[\],:=<>])""",
    re.VERBOSE,
)
_MODES: Final = ("contract", "fast")
T = TypeVar("T")


class ParseError(Exception):
    """The text is no module of the vector IR; the message names the line."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    line: int


def parse_module(text: str) -> Module:
    """The module that `print_module` shows. Raises ParseError."""
    return _Parser(list(_tokens(text))).module()


def _tokens(text: str) -> Iterator[_Token]:
    position, line = 0, 1
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise ParseError(f"line {line}: unexpected {text[position]!r}")
        if found.lastgroup != "skip":
            yield _Token(str(found.lastgroup), found.group(), line)
        line += found.group().count("\n")
        position = found.end()
    yield _Token("end", "", line)


class _Parser:
    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.place = 0
        self.types: dict[str, ValueType] = {}

    # -- tokens -------------------------------------------------------------------------------------------------------

    @property
    def next(self) -> _Token:
        return self.tokens[self.place]

    def fail(self, wanted: str) -> NoReturn:
        raise ParseError(f"line {self.next.line}: expected {wanted}, found {self.next.text!r}")

    def take(self, kind: str) -> str:
        if self.next.kind != kind:
            self.fail(f"a {kind}")
        self.place += 1
        return self.tokens[self.place - 1].text

    def has(self, text: str) -> bool:
        """Whether the next token is this one, which is passed then."""
        if self.next.text != text or self.next.kind == "string":
            return False
        self.place += 1
        return True

    def expect(self, text: str) -> None:
        if not self.has(text):
            self.fail(f"'{text}'")

    def number(self) -> int:
        return int(self.take("number"))

    def string(self) -> str:
        return str(json.loads(self.take("string")))

    def listed(self, one: Callable[[], T], end: str) -> list[T]:
        """What `one` reads, between commas, up to the sign `end`."""
        found: list[T] = []
        while not self.has(end):
            if found:
                self.expect(",")
            found.append(one())
        return found

    # -- types and operands -------------------------------------------------------------------------------------------

    def scalar_type(self) -> Type:
        word = self.take("word")
        if re.fullmatch(r"i\d+", word):
            return IntType(int(word[1:]))
        if word not in NAMED_TYPES:
            self.fail("a type")
        return NAMED_TYPES[word]

    def type(self) -> ValueType:
        if self.has("{"):
            return TupleType(tuple(self.listed(self.data_type, "}")))
        if self.has("["):
            count = self.number()
            self.expect("x")
            element = self.scalar_type()
            self.expect("]")
            return TupleType((element,) * count, consecutive=True)
        return self.data_type()

    def data_type(self) -> DataType:
        if not self.has("<"):
            return self.scalar_type()
        lanes = self.number()
        self.expect("x")
        element = self.scalar_type()
        self.expect(">")
        return VectorType(element, lanes)

    def register(self, type_: ValueType | None = None) -> Register:
        name = self.take("register")[1:]
        if type_ is None and name not in self.types:
            self.fail(f"a definition of %{name}")
        return Register(name, self.types[name] if type_ is None else type_)

    def operand(self) -> Operand:
        match self.next.kind:
            case "register":
                return self.register()
            case "global":
                return Symbol(self.take("global")[1:])
            case _:
                return self.constant()

    def constant(self) -> Operand:
        type_ = self.type()
        if self.has("poison"):
            return Poison(type_)
        assert not isinstance(type_, TupleType)
        if self.has("undef"):
            return Undefined(type_)
        element = element_of(type_)
        if self.has("<"):
            return Constant(type_, tuple(self.listed(lambda: self.bits(element), ">")))
        return Constant(type_, (self.bits(element),) * lanes_of(type_))

    def bits(self, type_: Type) -> int:
        """The bit pattern of a literal."""
        if self.has("null"):
            return 0
        if self.next.kind == "nan":
            return int(self.take("nan")[4:-1], 16)
        text = self.take("number")
        match type_:
            case FloatType():
                return const_float(type_, float.fromhex(text)).bits
            case IntType():
                return const_int(type_, int(text)).bits
            case _:
                self.fail("a constant")

    def operands(self) -> tuple[Operand, ...]:
        """Operands between commas, at least one."""
        found = [self.operand()]
        while self.has(","):
            found.append(self.operand())
        return tuple(found)

    # -- modules ------------------------------------------------------------------------------------------------------

    def module(self) -> Module:
        self.expect("module")
        self.expect("arrays")
        self.expect("(")
        arrays = tuple(self.listed(lambda: self.take("word"), ")"))
        data: list[Data | External] = []
        while self.next.text in ("data", "external"):
            data.append(self.data())
        functions: list[Function] = []
        while self.next.kind != "end":
            functions.append(self.function())
        return Module(tuple(functions), arrays, tuple(data))

    def data(self) -> Data | External:
        if self.has("external"):
            return External(self.take("global")[1:])
        self.expect("data")
        return Data(self.take("global")[1:], self.string().encode("latin-1"))

    def function(self) -> Function:
        self.expect("define")
        internal, inlined = self.has("internal"), self.has("inlined")
        extension = next((word for word in ("signext", "zeroext") if self.has(word)), "")
        convention = self.take("word") if self.next.kind == "word" and not self.at_type() else ""
        result = self.type()
        name = self.take("global")[1:]
        self.types = {}
        self.expect("(")
        parameters = tuple(self.listed(self.parameter, ")"))
        self.expect("{")
        self.types.update({p.register.name: p.register.type for p in parameters})
        self.collect_types()
        prologue: list[StackObject | OpaqueConstant] = []
        while self.next.kind == "register":
            prologue.append(self.prologue())
        blocks: list[Block] = []
        while not self.has("}"):
            blocks.append(self.block())
        return Function(
            name, parameters, tuple(blocks), result, tuple(prologue), internal, inlined, cast(Extension, extension), convention
        )

    def at_type(self) -> bool:
        text = self.next.text
        return text in ("<", "{") or text in NAMED_TYPES or re.fullmatch(r"i\d+", text) is not None

    def parameter(self) -> Parameter:
        type_ = self.type()
        distinct = self.has("distinct")
        size, copied, align = 0, 0, 1
        if self.has("result"):
            size = self.number()
        elif self.has("copied"):
            copied = self.number()
        if size or copied:
            self.expect("align")
            align = self.number()
        return Parameter(self.register(type_), distinct, size, align, copied)

    def collect_types(self) -> None:
        """The types of all results up to the end of the function."""
        start = self.place
        depth = 1
        while depth:
            token = self.next
            if token.kind == "end":
                self.fail("'}'")
            if token.kind == "register" and self.tokens[self.place + 1].text == ":":
                self.place += 2
                self.types[token.text[1:]] = self.type()
                continue
            depth += {"{": 1, "}": -1}.get(token.text, 0)
            self.place += 1
        self.place = start

    def result(self) -> Register:
        """A result with its type and the sign behind it."""
        name = self.take("register")[1:]
        self.expect(":")
        found = Register(name, self.type())
        self.expect("=")
        return found

    def prologue(self) -> StackObject | OpaqueConstant:
        result = self.result()
        if self.has("opaque"):
            value = self.constant()
            assert isinstance(value, Constant)
            return OpaqueConstant(result, value)
        self.expect("stack")
        type_ = self.type()
        self.expect("x")
        count = self.number()
        self.expect("align")
        return StackObject(result, type_, count, self.number())

    # -- blocks -------------------------------------------------------------------------------------------------------

    def block(self) -> Block:
        label = self.take("word")
        self.expect(":")
        fixed = not self.has("free")
        phis: list[Phi] = []
        body: list[Statement] = []
        while True:
            if self.next.kind == "register":
                result = self.result()
                if self.has("phi"):
                    phis.append(Phi(result, tuple(self.incoming())))
                else:
                    body.append(Statement(result, self.instruction(result.type)))
            elif self.next.text in _EFFECTS:
                body.append(Statement(None, self.effect()))
            else:
                return Block(label, tuple(phis), tuple(body), self.terminator(), fixed)

    def incoming(self) -> Iterator[tuple[Operand, str]]:
        self.expect("[")
        while True:
            value = self.operand()
            self.expect(",")
            yield value, self.take("word")
            self.expect("]")
            if not self.has(","):
                return
            self.expect("[")

    def terminator(self) -> v.Terminator:
        match self.take("word"):
            case "jump":
                vectorized = self.has("vectorized")
                return v.Jump(self.take("word"), vectorized)
            case "branch":
                likely = self.has("likely")
                condition = self.operand()
                self.expect(",")
                then = self.take("word")
                self.expect(",")
                return v.Branch(condition, then, self.take("word"), likely)
            case "return":
                given = self.next.kind in ("register", "global") or self.at_type()
                return v.Return(self.operand() if given else None)
            case "unreachable":
                return v.Unreachable()
            case _:
                self.place -= 1
                self.fail("an instruction")

    # -- instructions -------------------------------------------------------------------------------------------------

    def effect(self) -> v.Instruction:
        match self.take("word"):
            case "store":
                value, pointer = self.operands()
                mask, streaming = self.mask(), self.has("streaming")
                return v.Store(value, pointer, self.access(), mask, streaming)
            case "store_together":
                *values, pointer = self.operands()
                return v.StoreTogether(tuple(values), pointer, self.access())
            case "scatter":
                value, pointers, where = self.operands()
                return v.Scatter(value, pointers, where, self.access())
            case "begin":
                return v.Begin(self.operand(), self.access())
            case "prefetch":
                writing = self.has("writing")
                return v.Prefetch(self.operand(), writing)
            case "call":
                return self.call()
            case _:
                return v.Fence()

    def mode(self) -> FloatMode:
        return cast(FloatMode, next((mode for mode in _MODES if self.has(mode)), "strict"))

    def mask(self) -> Operand | None:
        return self.operand() if self.has("mask") else None

    def access(self) -> v.Access:
        self.expect("in")
        memory = self.string()
        self.expect("align")
        align = self.number()
        array = self.take("word") if self.has("array") else ""
        written = self.has("written")
        return v.Access(memory, align, array, self.run() if self.has("place") else None, written)

    def run(self) -> v.Place:
        self.expect("[")
        start = tuple(self.listed(self.number, "]"))
        array = self.string()
        return v.Place(start, array, self.number())

    def call(self) -> v.Call | v.CallAt:
        if self.has("at"):
            pointer, result = self.operand(), self.type()
            self.expect("(")
            return v.CallAt(pointer, tuple(self.listed(self.operand, ")")), result)
        pure = not self.has("effect")
        type_ = self.type()
        callee = self.take("global")[1:]
        self.expect("(")
        return v.Call(callee, tuple(self.listed(self.operand, ")")), type_, pure)

    def instruction(self, type_: ValueType) -> v.Instruction:
        """What stands behind a result of this type."""
        word = self.take("word")
        if word in INT_BINARY_OPS or word in FLOAT_BINARY_OPS:
            mode = self.mode()
            promise = next((promise for promise in ("exact", "disjoint") if self.has(promise)), "")
            left, right = self.operands()
            return v.Binary(cast(Any, word), left, right, mode, cast(v.Promise, promise))
        if word in CONVERT_OPS:
            assert not isinstance(type_, TupleType)
            return v.Convert(cast(Any, word), self.operand(), type_)
        match word:
            case "fneg":
                mode = self.mode()
                return v.Negate(self.operand(), mode)
            case "icmp" | "fcmp":
                predicate = self.take("word")
                left, right = self.operands()
                return v.Compare(cast(Any, predicate), left, right)
            case "select":
                condition, then, otherwise = self.operands()
                return v.Select(condition, then, otherwise)
            case "freeze":
                return v.Freeze(self.operand())
            case "hide":
                return v.Hide(self.operand())
            case "each":
                name, mode = self.take("word"), self.mode()
                return v.Elementwise(cast(Any, name), self.operands(), mode)
            case "native":
                return v.Native(cast(Any, self.take("word")), self.operands())
            case "neighbours":
                return v.SumNeighbours(cast(Any, self.take("word")), self.operands())
            case "dots":
                signs = (self.take("word") == "signed", self.take("word") == "signed")
                so_far, left, right = self.operands()
                return v.AddDots(so_far, left, right, signs)
            case "quotients":
                mode, never_small = self.mode(), self.has("large")
                return v.Quotients(self.groups(), never_small, mode)
            case "roots":
                mode = self.mode()
                return v.Roots(self.groups(), mode)
            case "reduce":
                op, mode = self.take("word"), self.mode()
                vector, *start = self.operands()
                return v.Reduce(cast(Any, op), vector, start[0] if start else None, mode)
            case "call":
                return self.call()
            case _:
                return self.movement(word, type_)

    def groups(self) -> tuple[tuple[Operand, ...], ...]:
        found: list[tuple[Operand, ...]] = []
        while not found or self.has(","):
            self.expect("(")
            found.append(tuple(self.listed(self.operand, ")")))
        return tuple(found)

    def movement(self, word: str, type_: ValueType) -> v.Instruction:
        """Instructions that move lanes, compute addresses or load."""
        match word:
            case "broadcast":
                return v.Broadcast(self.operand(), lanes_of(type_))
            case "shuffle":
                left, right = self.operands()
                self.expect("[")
                return v.Shuffle(left, right, tuple(self.listed(self.lane, "]")))
            case "insert":
                vector, value = self.operands()
                self.expect("at")
                return v.Insert(vector, value, self.number())
            case "extract":
                vector, number = self.operands()
                return v.Extract(vector, number)
            case "address":
                base, index = self.operands()
                self.expect("of")
                element = self.scalar_type()
                return v.Address(base, index, element, self.number() if self.has("x") else 1)
            case "field":
                base = self.operand()
                self.expect("of")
                members = self.type()
                assert isinstance(members, TupleType)
                return v.Field(base, members, self.number())
            case "member":
                whole = self.operand()
                return v.Member(whole, self.number())
            case "join":
                return v.Join(self.operands())
            case "load":
                assert not isinstance(type_, TupleType)
                pointer, mask, zeroing = self.operand(), self.mask(), self.has("zeroing")
                return v.Load(pointer, type_, self.access(), mask, zeroing)
            case "load_apart":
                assert isinstance(type_, TupleType)
                return v.LoadApart(self.operand(), type_, self.access())
            case "gather":
                pointers, where = self.operands()
                return v.Gather(pointers, where, element_of(type_), self.access())
            case _:
                self.place -= 1
                self.fail("an instruction")

    def lane(self) -> int:
        return -1 if self.has("_") else self.number()


_EFFECTS: Final = frozenset({"store", "store_together", "scatter", "begin", "fence", "prefetch", "call"})
