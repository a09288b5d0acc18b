"""Intrinsic functions of LLVM that are not one instruction: their code in P-LLVM, which is inlined. T is the type they are for.

`llvm.NAME.with.overflow` gives two values, the second one by `NAME.overflows`. Blocks of memory are moved in elements of type T.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from rv.ir.function import Function
from rv.ir.parser import parse_function
from rv.ir.types import Type, bits_of

LIBRARY: Final = {
    "sqrt": "sqrt", "fabs": "fabs", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "rint", "nearbyint": "nearbyint",
    "round": "round", "roundeven": "rint", "copysign": "copysign", "fma": "fma", "minnum": "fmin", "maxnum": "fmax",
    "minimumnum": "fmin", "maximumnum": "fmax", "exp": "exp", "exp2": "exp2", "log": "log", "log2": "log2", "log10": "log10",
    "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "atan2": "atan2", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "pow": "pow", "ldexp": "ldexp",
}  # fmt: skip
"""Intrinsics that are functions of the C library, for double; those for float have its names with f."""
IGNORED: Final = frozenset(
    "lifetime.start lifetime.end dbg.value dbg.declare dbg.assign assume donothing experimental.noalias.scope.decl "
    "invariant.start invariant.end var.annotation prefetch sideeffect pseudoprobe".split()
)
"""Intrinsics without an effect on results."""
BEGINS: Final = "lifetime.start"
FIRST_ARGUMENT: Final = frozenset("expect expect.with.probability ssa.copy arithmetic.fence".split())
"""Intrinsics whose result is their first argument."""

_TWO: Final = "T %a, T %b"
_CODE: Final = {
    "smax": (_TWO, "%c = icmp sgt T %a, %b", "%r = select %c, T %a, %b"),
    "smin": (_TWO, "%c = icmp slt T %a, %b", "%r = select %c, T %a, %b"),
    "umax": (_TWO, "%c = icmp ugt T %a, %b", "%r = select %c, T %a, %b"),
    "umin": (_TWO, "%c = icmp ult T %a, %b", "%r = select %c, T %a, %b"),
    "abs": ("T %a, i1 %b", "%n = sub T 0, %a", "%c = icmp slt T %a, 0", "%r = select %c, T %n, %a"),
    "sadd.sat": (_TWO, "%r = sadd_sat T %a, %b"),
    "ssub.sat": (_TWO, "%r = ssub_sat T %a, %b"),
    "uadd.sat": (_TWO, "%s = add T %a, %b", "%c = icmp ult T %s, %a", "%r = select %c, T -1, %s"),
    "usub.sat": (_TWO, "%s = sub T %a, %b", "%c = icmp ult T %a, %b", "%r = select %c, T 0, %s"),
    "sadd": (_TWO, "%r = add T %a, %b"),
    "ssub": (_TWO, "%r = sub T %a, %b"),
    "uadd": (_TWO, "%r = add T %a, %b"),
    "usub": (_TWO, "%r = sub T %a, %b"),
    "sadd.overflows": (
        _TWO, "%s = add T %a, %b", "%x = xor T %s, %a", "%y = xor T %s, %b", "%z = and T %x, %y", "%r = icmp slt T %z, 0",
    ),
    "ssub.overflows": (
        _TWO, "%s = sub T %a, %b", "%x = xor T %a, %b", "%y = xor T %s, %a", "%z = and T %x, %y", "%r = icmp slt T %z, 0",
    ),
    "uadd.overflows": (_TWO, "%s = add T %a, %b", "%r = icmp ult T %s, %a"),
    "usub.overflows": (_TWO, "%r = icmp ult T %a, %b"),
    "fmuladd": ("T %a, T %b, T %c", "%p = fmul T %a, %b", "%r = fadd T %p, %c"),
    "minimum": (_TWO, "%c = fcmp olt T %a, %b", "%l = select %c, T %a, %b", "%i = bitcast T %a to U", "%j = bitcast T %b to U",
                "%k = or U %i, %j", "%z = bitcast U %k to T", "%e = fcmp oeq T %a, %b", "%m = select %e, T %z, %l",
                "%s = fadd T %a, %b", "%u = fcmp uno T %a, %b", "%r = select %u, T %s, %m"),
    "maximum": (_TWO, "%c = fcmp ogt T %a, %b", "%l = select %c, T %a, %b", "%i = bitcast T %a to U", "%j = bitcast T %b to U",
                "%k = and U %i, %j", "%z = bitcast U %k to T", "%e = fcmp oeq T %a, %b", "%m = select %e, T %z, %l",
                "%s = fadd T %a, %b", "%u = fcmp uno T %a, %b", "%r = select %u, T %s, %m"),
}  # fmt: skip
"""Parameters and code by name."""
_SET: Final = """\
define void @{name}(ptr %to, T %value, i64 %bytes) {{
entry:
  %n = ashr i64 %bytes, {shift}
  jump set
set:
  %k = phi i64 [0, entry], [%k.1, set.body]
  %c = icmp slt i64 %k, %n
  branch %c, set.body, done
set.body:
  %p = elemptr T, %to [%k]
  store T %value, %p
  %k.1 = add nsw i64 %k, 1
  jump set
done:
  return void
}}
"""
_COPY: Final = """\
define void @{name}(ptr %to, ptr %from, i64 %bytes) {{
entry:
  %n = ashr i64 %bytes, {shift}
  jump copy
copy:
  %k = phi i64 [0, entry], [%k.1, copy.body]
  %c = icmp slt i64 %k, %n
  branch %c, copy.body, done
copy.body:
  %p = elemptr T, %from [%k]
  %x = load T, %p
  %q = elemptr T, %to [%k]
  store T %x, %q
  %k.1 = add nsw i64 %k, 1
  jump copy
done:
  return void
}}
"""
SET: Final = "memset"
COPY: Final = "memcpy"


def has_code(name: str) -> bool:
    """Whether an intrinsic, by its name without `llvm.` and types, has code here."""
    return name in _CODE


@cache
def code(name: str, type_: Type) -> Function:
    """The code of an intrinsic for a type, called `name.type`."""
    if name in (SET, COPY):
        template = (_SET if name == SET else _COPY).format(name=f"{name}.T", shift=(bits_of(type_) // 8).bit_length() - 1)
    else:
        parameters, *lines = _CODE[name]
        result = "i1" if name.endswith("overflows") else "T"
        body = "".join(f"  {line}\n" for line in lines)
        template = f"define {result} @{name}.T({parameters}) {{\nentry:\n{body}  return {result} %r\n}}\n"
    words = {"T": str(type_), "U": f"i{bits_of(type_)}"}
    return parse_function(_replaced(template, words))


def _replaced(template: str, words: dict[str, str]) -> str:
    """The template with types for their letters, which stand alone."""
    return re.sub(r"(?<![\w%])([TU])(?!\w)", lambda found: words[found[1]], template)
