"""What cannot be read costs the declaration or function that it is in, and the others are compiled."""

from __future__ import annotations

import pytest

from tensorrv.frontend.c.module import parse_c
from tensorrv.unit.unit import Module

LOOP = "{ for (int i = 0; i < n; i++) a[i] *= 2; }\n"
BEFORE, AFTER = f"void before(int n, double *a) {LOOP}", f"void after(int n, double *a) {LOOP}"

LOST = {
    "undeclared name": ("void f(int *a) { a[0] = b; }", "TRV010", "'b' is not declared"),
    "undeclared function": ("void f(int *a) { a[0] = g(1); }", "TRV018", "the function 'g' is not declared"),
    "unknown type": ("void f(int *a, unknown *b) { a[0] = 1; }", "TRV004", "invalid declaration at 'unknown'"),
    "unknown type of a variable": ("void f(int *a) { unknown *b = 0; a[0] = 1; }", "TRV010", "'unknown' is not declared"),
    "type error": ("void f(int *a) { a = 1.5; }", "TRV016", "the assignment has type 'int *'"),
    "misplaced statement": ("void f(int *a) { break; }", "TRV019", "break outside"),
    "missing semicolon": ("void f(int *a) { a[0] = 1 }", "TRV004", "syntax error before '}'"),
    "missing parenthesis": ("void f(int *a { a[0] = 1; }", "TRV004", "syntax error before '{'"),
    "missing operand": ("void f(int *a) { a[0] = (struct s){1} + ; }", "TRV004", "expected an expression"),
    "missing quote": ("void f(int *a) { a[0] = \"; }", "TRV004", "syntax error: illegal character"),
    "no character of C": ("void f(int *a) { a[0] = 1 @ 2; }", "TRV004", "syntax error: illegal character '@'"),
    "assembly": ('void f(int *a) { asm volatile ("nop" : "=r"(a[0]) : "r"(1)); }', "TRV041", "inline assembly"),
    "nested function": ("void f(int *a) { int g(void) { return 1; } a[0] = g(); }", "TRV004", "syntax error before '{'"),
    "computed goto": ("void f(int *a) { void *p = &&l; goto *p; l: a[0] = 1; }", "TRV004", "expected an expression"),
    "two definitions": ("void f(int *a) { a[0] = 1; }\nvoid f(int *a) { a[0] = 2; }", "TRV011", "'f' is defined twice"),
    "another type than declared": ("int f(int);\nvoid f(int *a) { a[0] = 1; }", "TRV011", "declared with different types"),
    "unknown typedef": ("typedef unknown t;\nvoid f(t *a) { a[0] = 1; }", "TRV004", "invalid declaration at 'unknown'"),
    "members of unknown type": ("struct s { unknown x; };\nvoid f(struct s *a) { a->x = 1; }", "TRV004", "syntax error"),
    "constants that are none": ("enum e { A = b, C };\nvoid f(enum e *a) { a[0] = 1; }", "TRV010", "'b' is not declared"),
    "a constant after one that is none": ("enum { A = b, C };\nvoid f(int *a) { a[0] = C; }", "TRV010", "'C' cannot be used"),
    "initialiser": ("int x = = 1;\nvoid f(int *a) { a[0] = x; }", "TRV004", "'x' cannot be used: expected an expression"),
    "extent": ("extern int x[b];\nvoid f(int *a) { a[0] = x[0]; }", "TRV010", "'x' cannot be used: 'b' is not declared"),
    "type of another meaning": (
        "typedef float v __attribute__((vector_size(16)));\nvoid f(v *a) { a[0] = a[1]; }", "TRV044", "attribute 'vector_size'"
    ),
    "call of another kind": ("void __attribute__((ms_abi)) f(int *a) { a[0] = 1; }", "TRV044", "the attribute 'ms_abi'"),
}  # fmt: skip


def module(text: str) -> Module:
    return parse_c("m.c", text=text)


@pytest.mark.parametrize(("text", "code", "message"), LOST.values(), ids=LOST.keys())
def test_one_function_is_lost_with_its_reason(text: str, code: str, message: str) -> None:
    found = module(BEFORE + text + "\n" + AFTER)
    assert [f.name for f in found.functions] == ["before", "after"]
    ((name, reason),) = found.passed_over
    assert (name, reason.code) == ("f", code) and message in reason.message, reason
    assert reason.span is not None and reason.span.line > 1


UNUSED = {
    "a declaration with a syntax error": "unknown g(int);",
    "a redeclaration": "double cos(double); int cos(int);",
    "assembly": '__asm__(".globl x");',
    "a stray brace": "}",
    "an operator": "int x = 1 2;",
}


@pytest.mark.parametrize("text", UNUSED.values(), ids=UNUSED.keys())
def test_declarations_that_are_not_used_cost_nothing(text: str) -> None:
    found = module(BEFORE + text + "\n" + AFTER)
    assert [f.name for f in found.functions] == ["before", "after"] and not found.passed_over
    assert len(found.problems) == (text != UNUSED["assembly"])


def test_a_function_without_its_last_brace_ends_before_the_next_one() -> None:
    found = module(BEFORE + "void f(int *a)\n{\n  if (a[0]) {\n    a[0] = 1;\n}\n\n" + AFTER)
    assert [f.name for f in found.functions] == ["before", "after"]
    assert [name for name, _ in found.passed_over] == ["f"]


PACKED = """
struct __attribute__((packed)) a { char c; int x; };
struct b { char c; int x; };
#pragma pack(push, 1)
struct c { char c; int x; };
#pragma pack(pop)
struct d { char c; int x; };
typedef int wide __attribute__((aligned(16)));
struct e { char c; wide x; };
struct f { struct a a; };
"""


def test_attributes_cost_the_structs_that_have_them() -> None:
    members = {"a": "x", "b": "x", "c": "x", "d": "x", "e": "x", "f": "a.x"}
    uses = "".join(f"void use_{tag}(struct {tag} *p) {{ p[1].{member} = 1; }}\n" for tag, member in members.items())
    found = module(PACKED + uses)
    assert [f.name for f in found.functions] == ["use_b", "use_d"]
    assert {reason.code for _, reason in found.passed_over} == {"TRV030"}
