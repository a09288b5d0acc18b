"""A C program that calls vector versions with random lanes and compares them with the scalar function, lane by lane.

Prototypes are those that gcc's own versions have: these are called in the same way, as `gcc_NAME`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rv.argument_shapes import Linear, Varying
from rv.drivers.by_value import LaneWords, MaskBits, Piece, Vector
from rv.ir.types import FloatType, PointerType, Type, VoidType, bits_of
from tensorrv.pipeline.drivers.vector_abi import Signature

PRELUDE = """#include <stdint.h>
#include <stdio.h>
#include <string.h>
static uint64_t state = 88172645463325252u;
static uint64_t next(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }
static int64_t integer(void) { return (int16_t)next(); }
static int64_t small(void) { return next() % 32; }
static double number(void) { return integer() / 8192.0; }
static double first[8][4096], second[8][4096], start[8][4096];
static void prepare(int round, unsigned char *mask, int lanes)
{
    for (int k = 0; k < 8; k++) for (int i = 0; i < 4096; i++) start[k][i] = number();
    for (int k = 0; k < lanes; k++) mask[k] = round == 0 ? 1 : round == 1 ? 0 : next() % 2;
}
static int failures;
static void check(const char *name, int same) { if (!same) { printf("%s differs\\n", name); failures++; } }
"""
ROUNDS = 12


def program(signatures: Sequence[Signature]) -> str:
    """The text of the program, which prints `done` last."""
    calling = "__attribute__((aarch64_vector_pcs)) "
    parts = [PRELUDE]
    parts += [_caller(s, calling if s.isa.calling else "", n, own) for n, s in enumerate(signatures) for own in ("", "gcc_")]
    loop = f"for (int round = 0; round < {ROUNDS}; round++)"
    calls = "\n".join(f"    {loop} {{ call{n}(round); gcc_call{n}(round); }}" for n in range(len(signatures)))
    return "\n".join([*parts, f'int main(void)\n{{\n{calls}\n    puts("done");\n    return failures != 0;\n}}\n'])


def _caller(s: Signature, calling: str, number: int, prefix: str) -> str:
    """A function that calls one version once."""
    c = s.convention
    name = s.name.replace(f"_{s.function.name}", f"_{prefix}{s.function.name}")
    types, arguments, lines, scalars, compare = [], [], [], [], []
    for k, (parameter, shape, pieces) in enumerate(zip(s.function.parameters, s.shapes, c.parameters, strict=True)):
        type_ = parameter.var.type
        own = _c_type(type_)
        pointer = isinstance(type_, PointerType)
        if pieces is not None:
            assert shape == Varying() and not pointer
            lines.append(f"{own} a{k}[{s.lanes}];")
            lines.append(f"for (int i = 0; i < {s.lanes}; i++) a{k}[i] = {_random(type_)};")
            scalars.append(f"a{k}[lane]")
            for n, piece in enumerate(pieces):
                lines.append(f"{_piece(piece)} p{k}_{n}; memcpy(&p{k}_{n}, a{k} + {n * piece.lanes}, sizeof p{k}_{n});")
                types.append(_piece(piece))
                arguments.append(f"p{k}_{n}")
            continue
        step = _step(s, shape) if isinstance(shape, Linear) else "0"
        types.append(own)
        if pointer:
            arguments.append(f"(void *)(first[{k}] + 64)")
            scalars.append(f"(void *)((char *)(second[{k}] + 64) + lane * ({step}))")
        else:
            lines.append(f"{own} a{k} = {'number()' if isinstance(type_, FloatType) else 'small()'};")
            arguments.append(f"a{k}")
            scalars.append(f"a{k} + lane * ({step})")
    for n, piece in enumerate(c.mask):
        lines += _mask(piece, n)
        types.append(_piece(piece))
        arguments.append(f"m{n}")
    result = "void"
    keep = ""
    scalar_result = _c_type(s.function.result) if c.result else "void"
    if c.result:
        result = f"struct {{ {_piece(c.result[0])} v[{len(c.result)}]; }}" if len(c.result) > 1 else _piece(c.result[0])
        lines.insert(0, f"typedef {result} result;")
        result, keep = "result", "result r = "
        compare = [
            f"{scalar_result} w = ref_{s.function.name}({', '.join(scalars)}), g;",
            f"memcpy(&g, (char *)&r + lane * {bits_of(s.function.result) // 8}, sizeof g);",
            f'check("{name}", memcmp(&g, &w, sizeof g) == 0);',
        ]
    else:
        compare = [f"ref_{s.function.name}({', '.join(scalars)});"]
    plain = ", ".join(_c_type(p.var.type) for p in s.function.parameters)
    body = [
        f"unsigned char mask[{s.lanes}];",
        f"prepare({'round' if s.mask else '0'}, mask, {s.lanes});",
        "memcpy(first, start, sizeof start); memcpy(second, start, sizeof start);",
        *lines,
        f"extern {calling}{result} {name}({', '.join(types)});",
        f"{keep}{name}({', '.join(arguments)});",
        f"for (long lane = 0; lane < {s.lanes}; lane++) if (mask[lane]) {{ {' '.join(compare)} }}",
        f'check("{name} (memory)", memcmp(first, second, sizeof first) == 0);',
    ]
    body.insert(0, f"extern {scalar_result} ref_{s.function.name}({plain});")
    text = "\n".join(f"    {line}" for line in body)
    return f"static void {prefix}call{number}(int round)\n{{\n    (void)round;\n{text}\n}}\n"


def _mask(piece: Piece, number: int) -> list[str]:
    if isinstance(piece, MaskBits):
        return [
            f"{_piece(piece)} m{number} = 0;",
            f"for (int i = 0; i < {piece.lanes}; i++) m{number} |= ({_piece(piece)})mask[i + {number * piece.lanes}] << i;",
        ]
    assert isinstance(piece, LaneWords)
    lanes, width = piece.vector.lanes, bits_of(piece.vector.element)
    return [
        f"int{width}_t w{number}[{lanes}];",
        f"for (int i = 0; i < {lanes}; i++) w{number}[i] = -(int)mask[i + {number * lanes}];",
        f"{_piece(piece)} m{number}; memcpy(&m{number}, w{number}, sizeof m{number});",
    ]


def _piece(piece: Piece) -> str:
    match piece:
        case Vector(element=element, lanes=lanes, packed=packed):
            bits = bits_of(element) * lanes
            if packed:
                return f"uint{bits}_t"
            return f"__typeof__({_c_type(element)} __attribute__((vector_size({bits // 8}))))"
        case LaneWords(vector=vector):
            return _piece(vector)
        case MaskBits(width=width):
            return f"uint{width}_t"
        case _:
            raise AssertionError(piece)


def _c_type(type_: Type) -> str:
    match type_:
        case FloatType(bits):
            return "float" if bits == 32 else "double"
        case PointerType():
            return "void *"
        case VoidType():
            return "void"
        case _:
            return f"int{bits_of(type_)}_t"


def _random(type_: Type) -> str:
    return "number()" if isinstance(type_, FloatType) else "integer()"


def _step(s: Signature, shape: Linear) -> str:
    if isinstance(shape.step, int):
        return str(shape.step * shape.unit)
    position = [p.var.name for p in s.function.parameters].index(shape.step)
    return f"a{position} * {shape.unit}"
