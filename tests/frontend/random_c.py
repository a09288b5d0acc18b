"""Random C functions without undefined behaviour (given wrapping signed arithmetic), to compare our meaning of C with gcc's.

Every function takes scalars of all types and small arrays, has arrays of its own, runs some statements, and returns a value.
Divisors are kept away from zero and -1, shift counts in range, conversions from floating point to integers in range, subscripts
inside their arrays.
"""

from __future__ import annotations

import random

INTEGERS = {
    "_Bool": (8, False),
    "char": (8, True),
    "signed char": (8, True),
    "unsigned char": (8, False),
    "short": (16, True),
    "unsigned short": (16, False),
    "int": (32, True),
    "unsigned": (32, False),
    "long": (64, True),
    "unsigned long": (64, False),
    "long long": (64, True),
    "unsigned long long": (64, False),
}
FLOATS = ("float", "double")
TYPES = (*INTEGERS, *FLOATS)
ARRAYS = {"D": "double", "F": "float", "I": "int", "U": "unsigned char", "L": "long", "B": "_Bool", "H": "unsigned short"}

PRELUDE = """
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#define MASK 7
#define MIN(a, b) ((a) < (b) ? (a) : (b))
enum color { RED, GREEN = 5, BLUE };
static const double third = 1.0 / 3;
static const unsigned char wrapped = 300;
static inline double lim(double x) { return x > -50.0 && x < 50.0 ? x : 7.0; }
static inline double limu(double x) { if (x >= 0 && x < 50.0) return x; return 7.0; }
static int collatz(int n) { int k = 0; while (n > 1 && k < 20) { n = n % 2 ? 3 * n + 1 : n / 2; k++; } return k; }
static inline float mix(float a, double b) { return a * b + 1; }
static unsigned char narrow(int x) { return x; }
static short row_sum(int m, short S[][m], int j)
{ short *row = S[j], sum = 0; for (int i = 0; i < m - 1; i++) { if (row[i] == 7) return i;
  sum += row[i] + S[0][i]; } return sum; }
static double dot(const double *restrict a, const float *b, unsigned char k)
{ double s = 0; const float *end = b + k; for (; b < end; a++, ++b) s += *a * *b; return s; }
static void bump(int n, long L[n], int by) { for (int i = n; i-- > 0;) {
  if (i == 5) continue; L[i] += by; if (L[i] > 200) return; } }
static void touch(int *x, double *y) { *x ^= 3; if (*y > 1) *y = *x; else x[0]++; }
static long total(const long *a, const long *end) { long s = 0; while (a != end) s += *a++ & 255; return s; }
static int first(int n, short S[][n + 1], double (*P)[4], int what)
{ for (int j = 0; j < n; j++) for (int i = 0; i < n; i++)
  if (S[j][i] == what || P[j & 1][i] > what) return 10 * j + i; return -1; }
"""

PARAMETERS = (
    "double *D, float *F, int *I, unsigned char *U, long *L, _Bool *B, unsigned short *H, short n, short S[n][n + 1], "
    "double (*restrict P)[4]"
)


class Generator:
    """Writes one function after the other."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.variables: dict[str, str] = {}
        self.frozen: set[str] = set()
        self.arrays: dict[str, str] = {}
        self.count = 0

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    # expressions: text and whether it is floating

    def expression(self, depth: int) -> tuple[str, bool]:
        if depth <= 0 or self.random.random() < 0.15:
            return self.leaf()
        kind = self.random.randrange(16)
        if kind < 5:
            return self.binary(depth)
        if kind == 5:
            (a, f), (b, g) = self.expression(depth - 1), self.expression(depth - 1)
            return f"({a} {self.pick('<', '<=', '>', '>=', '==', '!=')} {b})", False
        if kind == 6:
            a, _ = self.expression(depth - 1)
            b, _ = self.expression(depth - 1)
            return f"({a} {self.pick('&&', '||')} {b})", False
        if kind == 7:
            c, _ = self.expression(depth - 1)
            (a, f), (b, g) = self.expression(depth - 1), self.expression(depth - 1)
            return f"({c} ? {a} : {b})", f or g
        if kind == 8:
            a, f = self.expression(depth - 1)
            op = self.pick("-", "+", "!" if f else "~", "!")
            return f"({op}({a}))", f and op != "!"
        if kind in (9, 10):
            type_ = self.pick(*TYPES)
            return f"(({type_}){self.into(type_, self.expression(depth - 1))})", type_ in FLOATS
        if kind == 11:
            return self.call(depth)
        if kind == 12:
            a, _ = self.expression(depth - 1)
            b, f = self.expression(depth - 1)
            return f"((void)({a}), {b})", f
        if kind == 13:
            (a, f), (b, g) = self.leaf(), self.leaf()
            return f"MIN({a}, {b})", f or g
        return self.element(depth)

    def binary(self, depth: int) -> tuple[str, bool]:
        (a, f), (b, g) = self.expression(depth - 1), self.expression(depth - 1)
        if f or g:
            return f"({a} {self.pick('+', '-', '*', '/')} {b})", True
        op = self.pick("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")
        if op in "/%":
            b = self.pick(f"(({b} & 15) + 1)", f"(({b} & 15) - 18)")
        if op in ("<<", ">>"):
            b = f"({b} & 7)"
        return f"({a} {op} {b})", False

    def call(self, depth: int) -> tuple[str, bool]:
        a = self.expression(depth - 1)
        choice = self.random.randrange(15)
        if choice == 0:
            return f"collatz({self.into('int', a)} & 63)" if not a[1] else f"collatz((int)lim({a[0]}))", False
        if choice == 1:
            return f"narrow({self.into('int', a)})", False
        if choice == 2:
            return f"mix({a[0]}, {self.leaf()[0]})", True
        if choice == 3:
            return f"{self.pick('fabs', 'sqrt', 'floor', 'ceil', 'trunc', 'rint')}{self.pick('', 'f')}({a[0]})", True
        if choice == 4:
            return f"{self.pick('fmin', 'fmax', 'copysign')}{self.pick('', 'f')}({a[0]}, {self.leaf()[0]})", True
        if choice == 5:
            return f"{self.pick('abs', 'labs')}({self.into('int', a)})", False
        if choice == 6:
            return f"{self.pick('isnan', 'isinf', 'isfinite')}((double)({a[0]}))", False
        if choice == 7:
            return f"sizeof({self.pick(*TYPES, 'S[0]', 'D', a[0])})", False
        if choice == 8:
            return f"fma({a[0]}, {self.leaf()[0]}, {self.leaf()[0]})", True
        if choice == 9:
            return f"row_sum(n + 1, S, ({self.index(1)}) & 3)", False
        if choice == 10:
            return f"dot(D + 2, F + 1, ({self.index(1)}) & 3)", True
        if choice == 11:
            return f"first(n, S, P, {self.into('int', a)})", False
        if choice == 12:
            return f"((void)({self.leaf()[0]}), first(n, S, P + 0, 3))", False
        return f"(({self.pick('uint8_t', 'int16_t', 'uint32_t', 'int64_t', 'size_t')}){self.into('unsigned', a)})", False

    def into(self, type_: str, e: tuple[str, bool]) -> str:
        """An expression that may be converted to `type_`."""
        text, floating = e
        if not floating or type_ in FLOATS or type_ == "_Bool":
            return f"({text})"
        signed = INTEGERS[type_][1]
        return f"lim({text})" if signed else f"limu({text})"

    def index(self, depth: int) -> str:
        e = self.expression(depth - 1)
        return f"{'(int)lim' if e[1] else ''}({e[0]}) & MASK"

    def element(self, depth: int) -> tuple[str, bool]:
        choice = self.random.randrange(8)
        i = self.index(min(depth, 2))
        if choice == 0:
            return f"S[({i}) & 3][({self.index(1)}) & 3]", False
        if choice == 1:
            return f"P[({i}) & 1][({self.index(1)}) & 3]", True
        name = self.array()
        text = {
            2: f"*({name} + ({i}))",
            3: f"({name} + 1)[(({i}) & 3)]",
            4: f"({i})[{name}]",
            5: f"*&{name}[{i}]",
            6: f"*({name} + 7 - ({i}))",
        }.get(choice)
        return text or f"{name}[{i}]", self.type_of(name) in FLOATS

    def array(self) -> str:
        """An array of the caller, or one of the function's own."""
        return self.pick(*self.arrays) if self.arrays and self.random.random() < 0.5 else self.pick(*ARRAYS)

    def type_of(self, array: str) -> str:
        return self.arrays.get(array) or ARRAYS[array]

    def leaf(self) -> tuple[str, bool]:
        kind = self.random.randrange(10)
        if kind < 5 and self.variables:
            name = self.pick(*self.variables)
            return name, self.variables[name] in FLOATS
        if kind == 5:
            return self.pick(
                "1.5",
                "0.1f",
                "-2.75f",
                "1e3",
                "0x1.8p-2",
                "0x1.fp3f",
                "third",
                "0.0",
                "1e-310",
                "3e38f",
                "16777217.0f",
                ".5",
                "7.f",
            ), True
        if kind == 6:
            return self.pick(
                "0x7fffffff",
                "0xffffffff",
                "2147483648",
                "017",
                "4000000000u",
                "1ull",
                "255",
                "'A'",
                "'\\xff'",
                "'\\n'",
                "0x8000000000000000",
                "9223372036854775807L",
                "GREEN",
                "BLUE",
                "wrapped",
                "-1",
                "(1ull - 2)",
                "(1u - 2)",
                "(1ul - 2)",
                "(0xffffffff + 1)",
                "(4294967295 + 1)",
                "(1l << 40)",
                "037777777777",
                "2147483647U",
            ), False
        if kind == 7:
            return self.element(1) if self.random.random() < 0.7 else ("n", False)
        return str(self.random.randrange(-5, 200)), False

    # statements

    def statements(self, depth: int, count: int) -> str:
        before, arrays = dict(self.variables), dict(self.arrays)
        text = " ".join(self.statement(depth) for _ in range(count))
        self.variables, self.arrays = before, arrays
        return text

    def statement(self, depth: int) -> str:
        kind = self.random.randrange(19 if depth > 0 else 10)
        changeable = [name for name in self.variables if name not in self.frozen]
        if kind <= 1 or not changeable:
            return self.declaration()
        name = self.pick(*changeable)
        type_ = self.variables[name]
        if kind == 2:
            return f"{name} = {self.into(type_, self.expression(3))};"
        if kind in (3, 4):
            return self.compound(name, type_)
        if kind == 5:
            return f"{self.pick('++', '--')}{name};" if self.random.random() < 0.5 else f"{name}{self.pick('++', '--')};"
        if kind == 6:
            other = self.pick(*changeable)
            if other == name:
                return ";"
            from_name = self.into(self.variables[other], (name, type_ in FLOATS))
            step = self.pick(f"{other}++", f"--{other}", f"({other}--, {other})", f"{other} = {from_name}")
            return f"{name} = {self.into(type_, (f'({step})', self.variables[other] in FLOATS))};"
        if kind in (7, 8):
            return self.store()
        if kind == 9:
            value = self.into(type_, self.expression(1))
            return f"({self.expression(2)[0]}) {self.pick('&&', '||')} ({name} = {value});"
        inner = self.random.randrange(1, 4)
        if kind == 10:
            return f"if ({self.expression(2)[0]}) {{ {self.statements(depth - 1, inner)} }}"
        if kind == 11:
            test = self.expression(2)[0]
            return f"if ({test}) {{ {self.statements(depth - 1, inner)} }} else {{ {self.statements(depth - 1, inner)} }}"
        if kind == 12:
            return self.switch(depth)
        if kind == 13 and self.random.random() < 0.2:
            return f"bump(n + 4, L, {self.into('int', self.expression(2))});"
        if kind == 13:
            return self.pointers(name, type_)
        return self.loop(depth, inner)

    def declaration(self) -> str:
        self.count += 1
        if self.random.random() < 0.3:
            return self.local_array(f"a{self.count}")
        name, type_ = f"v{self.count}", self.pick(*TYPES)
        const = self.pick("", "", "", "const ")
        text = f"{const}{type_} {name} = {self.into(type_, self.expression(2))};"
        self.variables[name] = type_
        if const:
            self.frozen.add(name)
        return text

    def local_array(self, name: str) -> str:
        """An array of eight elements, none of them undefined."""
        type_ = self.pick(*TYPES)
        values = [self.into(type_, self.expression(1)) for _ in range(self.random.randrange(1, 5))]
        shape = self.pick("[8]", "[]")
        designated = f", [{7 if shape == '[]' else self.random.randrange(8)}] = {self.into(type_, self.expression(1))}"
        designated = designated if shape == "[]" or self.random.random() < 0.3 else ""
        self.arrays[name] = type_
        return f"{type_} {name}{shape} = {{{', '.join(values)}{designated}}};"

    def compound(self, name: str, type_: str) -> str:
        value = self.expression(2)
        if type_ in FLOATS:
            return f"{name} {self.pick('+=', '-=', '*=', '/=')} {value[0]};"
        if value[1]:
            if type_ == "_Bool":
                return f"{name} += {value[0]};"
            return f"{name} &= 31; {name} += {self.into(type_, value)};"
        op = self.pick("+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=", "/=", "%=")
        text = value[0]
        if op in ("<<=", ">>="):
            text = f"({text}) & 7"
        if op in ("/=", "%="):
            text = f"(({text}) & 15) + 1"
        return f"{name} {op} {text};"

    def store(self) -> str:
        choice = self.random.randrange(5)
        if choice == 0:
            target, type_ = f"S[({self.index(1)}) & 3][({self.index(1)}) & 3]", "short"
        elif choice == 1:
            target, type_ = f"P[({self.index(1)}) & 1][({self.index(1)}) & 3]", "double"
        else:
            array = self.array()
            target, type_ = f"{array}[{self.index(2)}]", self.type_of(array)
        if choice == 4 and type_ not in ("_Bool",):
            return f"{target}{self.pick('++', '--')};"
        if choice == 3:
            return self.compound(target, type_)
        return f"{target} = {self.into(type_, self.expression(3))};"

    def pointers(self, name: str, type_: str) -> str:
        """Statements that move a local pointer through an array, never further than its end."""
        addressed = [v for v, t in self.variables.items() if t == "int" and v not in self.frozen]
        if addressed and self.random.random() < 0.4:
            doubles = [f"{a} + ({self.index(1)})" for a, t in self.arrays.items() if t == "double"]
            doubles += [f"&{v}" for v, t in self.variables.items() if t == "double" and v not in self.frozen]
            longs = self.pick("L", *(a for a, t in self.arrays.items() if t == "long"))
            touched = f"touch({self.pick('&', '&*&')}{self.pick(*addressed)}, {self.pick('D + 1', *doubles)});"
            return f"{touched} L[{self.index(1)}] = total({longs} + 1, {longs} + 1 + (({self.index(1)}) & 3));"
        own = [a for a, t in self.arrays.items() if t != "_Bool"]
        array = self.pick(*own) if own and self.random.random() < 0.5 else self.pick("D", "F", "I", "U", "L", "H")
        element = self.type_of(array)
        floating = element in FLOATS
        first, second = (self.into(element, self.expression(1)) for _ in range(2))
        read = self.into(type_, ("*q", floating))
        walk = self.pick(
            f"*q++ = {first}; q[1] = {second}; {name} = {read}; q += 2; --q; {name} = {self.into(type_, ('q[-1]', floating))};",
            f"for (; q < {array} + 6; q += 2) {{ *q = {first}; if (q == {array} + 4) break; }} {name} = {read};",
            f"{element} *r = q + 3; r -= 2; r[1] = q[0]; *(r + 1 - 2) = {first}; "
            f"{name} = {self.into(type_, ('*--r', floating))};",
            f"if (q != 0 && p0) q = {array} + 1; *(p1 ? q : {array}) = {second}; {name} = {read};",
        )
        rows = self.pick(
            "",
            f"{{ short *row = S[{self.random.randrange(3)}]; row[({self.index(1)}) & 7] = 5; *row ^= row[6]; }}",
            f"{{ double (*Q)[4] = P + 1; Q[0][({self.index(1)}) & 3] = 2; "
            f"double *flat = (double *)P; flat[({self.index(1)})] += 1; }}",
            f"{{ short (*T)[5] = (short (*)[5])&S[0][0]; T[1][({self.index(1)}) & 3] += 3; *(*(S + 2) + 1) -= 2; }}",
            f"{{ int m = n + 1; short (*T)[m] = (short (*)[m])*S; T[1][({self.index(1)}) & 3]--; m = 1; T[2][1] = sizeof *T; }}",
        )
        return f"{{ {element} *q = {array} + (({self.index(1)}) & 3); {walk} }} {rows}"

    def switch(self, depth: int) -> str:
        test = self.expression(1)
        cases = "".join(
            f"case {value}: {{ {self.statements(depth - 1, 1)} }} {self.pick('break;', '')} "
            for value in self.random.sample(range(-1, 6), 3)
        )
        default = f"default: {{ {self.statements(depth - 1, 1)} }} " if self.random.random() < 0.6 else ""
        return f"switch ({'(int)lim' if test[1] else ''}({test[0]}) {'' if test[1] else '& 3'}) {{ {cases}{default}}}"

    def loop(self, depth: int, inner: int) -> str:
        self.count += 1
        name = f"i{self.count}"
        before, arrays = dict(self.variables), dict(self.arrays)
        self.variables[name] = type_ = self.pick("int", "unsigned", "long", "short", "unsigned char")
        self.frozen.add(name)
        now = f"({name} & 3) == {self.random.randrange(4)}"
        jump = self.pick(
            "",
            "",
            f"if ({self.expression(1)[0]}) continue;",
            f"if ({self.expression(1)[0]}) break;",
            f"if ({now}) continue;",
            f"if ({now}) break;",
            f"if ({now} && {self.expression(1)[0]}) return 3;",
        )
        body = f"{jump} {self.statements(depth - 1, inner)} {jump}"
        kind = self.random.randrange(5)
        bound = self.random.randrange(0, 6)
        if kind == 0:
            text = f"for ({type_} {name} = {bound}; {name} > 0; {name}--) {{ {body} }}"
        elif kind == 1:
            text = f"{{ {type_} {name} = 0; while ({name}++ < {bound}) {{ {body} }} }}"
        elif kind == 2:
            text = f"{{ {type_} {name} = 0; do {{ {body} }} while (++{name} < {bound} && {self.expression(1)[0]}); }}"
        elif kind == 3:
            text = f"{{ {type_} {name}; for ({name} = 0; ; {name} += 2) {{ if ({name} >= {bound}) break; {body} }} }}"
        else:
            text = f"for ({type_} {name} = 0; {name} < {bound} && {self.expression(1)[0]} || {name} < 2; ++{name}) {{ {body} }}"
        self.variables, self.arrays = before, arrays
        return text

    def function(self, name: str) -> str:
        """One function; its scalar parameters are called p0, p1, ..."""
        scalars = [self.pick(*TYPES) for _ in range(4)]
        self.variables = {f"p{k}": type_ for k, type_ in enumerate(scalars)}
        self.frozen = set()
        self.arrays = {}
        self.count = 0
        result = self.pick(*TYPES)
        declared = ", ".join(f"{type_} p{k}" for k, type_ in enumerate(scalars))
        body = " ".join(self.statement(2) for _ in range(self.random.randrange(2, 7)))
        return f"{result} {name}({PARAMETERS}, {declared})\n{{ {body}\n  return {self.into(result, self.expression(4))}; }}\n"
