"""Instructions of LLVM IR, in functions of our own: each is run, with a brush, on numbers that tell whether it was understood."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tensorrv as trv
from rv.ir.function import Function
from rv.ir.hints import hint_texts
from rv.ir.instructions import Call
from tensorrv.cli.gen import main
from tensorrv.frontend.llvm_ir.module import parse_llvm
from tensorrv.report.diagnostics import Refused, render

LOOP = """\
{declarations}
define void @f(i64 %n, ptr noalias %A, ptr noalias %B) {{
start:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i64 [ 0, %start ], [ %next, %end ]
  %p = getelementptr inbounds {type}, ptr %A, i64 %i
  %x = load {type}, ptr %p
  {code}
  br label %end
end:
  {phis}
  %q = getelementptr inbounds {type}, ptr %B, i64 %i
  store {type} %y, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp ne i64 %next, %n
  br i1 %more, label %loop, label %done{metadata}
done:
  ret void
}}
"""
SWITCH = """\
  switch i32 %x, label %end [
    i32 1, label %one
    i32 2, label %two
    i32 7, label %end
    i32 9, label %two
  ]
one:
  br label %end
two:
  br label %end
never:
"""


def loop(type_: str, code: str, *, phis: str = "", declarations: str = "", metadata: str = "") -> str:
    return LOOP.format(type=type_, code=code, phis=phis, declarations=declarations, metadata=metadata)


def applied(text: str, numbers: np.ndarray) -> list[object]:
    """What the function makes of each number, by a kernel with a brush, which is compared with scalar code."""
    results = []
    for brush in (8, None):
        results.append(np.full_like(numbers, 77))
        trv.compile(text, brush=brush)(len(numbers), numbers, results[-1])
    assert results[0].tobytes() == results[1].tobytes()
    return [value.item() for value in results[0]]


INTEGERS = np.array([0, 1, 2, 3, 7, 9, -1, -5, 2**31 - 1, -(2**31), 12, 40, -7], dtype=np.int32)
FLOATS = np.array([0.0, -0.0, 1.5, -2.5, 3.0, 1e300, -1e-300, math.inf, -math.inf, 2.5, 0.5, -0.5, 7.0])


def wrapped(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        ("%y = or disjoint i32 0, %x", lambda x: x),
        ("%y = call i32 @llvm.smax.i32(i32 %x, i32 3)", lambda x: max(x, 3)),
        ("%y = call i32 @llvm.umin.i32(i32 %x, i32 3)", lambda x: min(x % 2**32, 3)),
        ("%y = call i32 @llvm.abs.i32(i32 %x, i1 false)", lambda x: wrapped(abs(x))),
        ("%y = call i32 @llvm.usub.sat.i32(i32 %x, i32 5)", lambda x: wrapped(max(x % 2**32 - 5, 0))),
        ("%y = call i32 @llvm.sadd.sat.i32(i32 %x, i32 5)", lambda x: min(x + 5, 2**31 - 1)),
        ("%f = freeze i32 %x\n  %y = add i32 %f, %f", lambda x: wrapped(2 * x)),
        ("%c = icmp samesign ult i32 %x, 3\n  %y = zext i1 %c to i32", lambda x: None if x < 0 else int(x < 3)),
        ("%z = zext nneg i32 %x to i64\n  %y = trunc i64 %z to i32", lambda x: x if x >= 0 else None),
        (
            """%s = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %x, i32 5)
               %v = extractvalue { i32, i1 } %s, 0
               %o = extractvalue { i32, i1 } %s, 1
               %y = select i1 %o, i32 -3, i32 %v""",
            lambda x: x + 5 if x + 5 < 2**31 else -3,
        ),
        ("%y = call i32 @twice(i32 %x)", lambda x: wrapped(2 * x)),
        (
            """%k = and i32 %x, 3
               %w = zext i32 %k to i64
               %t = getelementptr [4 x i32], ptr @table, i64 0, i64 %w
               %y = load i32, ptr %t""",
            lambda x: (10, 20, 30, -40)[x & 3],
        ),
        (
            """%c = icmp sgt i32 %x, 0
               %r = getelementptr inbounds i8, ptr %p, i64 0
               %s = select i1 %c, ptr %r, ptr %A
               %y = load i32, ptr %s""",
            lambda x: max(x, 0),
        ),
    ],
)
def test_integers(code: str, meaning: Callable[[int], int | None]) -> None:
    declarations = (
        "@table = private constant [4 x i32] [i32 10, i32 20, i32 30, i32 -40]\n"
        "define internal i32 @twice(i32 %a) {\n  %b = shl i32 %a, 1\n  ret i32 %b\n}"
    )
    found = applied(loop("i32", code, declarations=declarations), INTEGERS)
    expected = [meaning(int(x)) for x in INTEGERS]
    assert [y for y, e in zip(found, expected, strict=True) if e is not None] == [e for e in expected if e is not None]


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        ("%y = fmul fast double %x, 2.0", lambda x: 2 * x),
        ("%y = call double @llvm.fmuladd.f64(double %x, double 3.0, double 1.0)", lambda x: x * 3 + 1),
        ("%y = call double @llvm.fabs.f64(double %x)", abs),
        ("%y = call double @llvm.maxnum.f64(double %x, double 0x7FF8000000000000)", lambda x: x),
        ("%y = call double @llvm.minimum.f64(double %x, double 2.0)", lambda x: min(x, 2.0)),
        ("%y = frem double %x, 2.0", lambda x: math.fmod(x, 2.0) if math.isfinite(x) else None),
        ("%y = fneg double %x", lambda x: -x),
    ],
)
def test_floating_point(code: str, meaning: Callable[[float], float | None]) -> None:
    for y, expected in zip(applied(loop("double", code), FLOATS), map(meaning, FLOATS.tolist()), strict=True):
        assert expected is None or (y, math.copysign(1, float(str(y)))) == (expected, math.copysign(1, expected))


def test_switch() -> None:
    phis = "%y = phi i32 [ 0, %loop ], [ 10, %one ], [ 20, %two ], [ 0, %loop ], [ 5, %never ]"
    text = loop("i32", SWITCH.strip(), phis=phis)
    assert applied(text, INTEGERS) == [{1: 10, 2: 20, 9: 20}.get(int(x), 0) for x in INTEGERS]


def test_what_is_unreachable_is_not_come_to() -> None:
    code = "%c = icmp eq i32 %x, 1000\n  br i1 %c, label %bad, label %good\nbad:\n  unreachable\ngood:\n  %y = add i32 %x, 1"
    assert applied(loop("i32", code), INTEGERS) == [wrapped(int(x) + 1) for x in INTEGERS]


BLOCKS = """\
define void @f(i64 %n, ptr noalias %A, ptr noalias %B) {
  %bytes = shl nuw nsw i64 %n, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %B, ptr align 8 %A, i64 %bytes, i1 false)
  %half = getelementptr inbounds double, ptr %B, i64 2
  call void @llvm.memset.p0.i64(ptr align 8 %half, i8 0, i64 24, i1 false)
  %x = load double, ptr %A
  store double %x, ptr %B
  ret void
}
"""


def test_blocks_of_memory_are_loops() -> None:
    numbers = np.arange(20.0) + 1
    result = np.zeros(20)
    kernel = trv.compile(BLOCKS, brush=8)
    kernel(20, numbers, result)
    expected = numbers.copy()
    expected[2:5] = 0
    assert result.tolist() == expected.tolist() and "vector" not in str(kernel.diagnostics)


def hints(function: Function) -> list[str]:
    return [text for block in function.blocks for text in hint_texts(block.hints)]


LOOP_METADATA = """, !llvm.loop !0
done:
  ret void
}}
!0 = distinct !{{!0, {said}}}
!1 = !{{!"llvm.loop.vectorize.enable", i1 {enabled}}}
!2 = !{{!"llvm.loop.vectorize.width", i32 4}}
!3 = !{{!"llvm.loop.parallel_accesses", !4}}
!4 = distinct !{{}}
"""


@pytest.mark.parametrize(
    ("said", "group", "expected"),
    [
        ("!1, !2", "", ["simd", "simdlen 4"]),
        ("!1, !3", ", !llvm.access.group !4", ["lanes", "simd"]),
        ("!1, !3", "", ["simd"]),
    ],
)
def test_metadata_of_loops(said: str, group: str, expected: list[str]) -> None:
    text = loop("i32", "%y = add i32 %x, 1").partition("\ndone:")[0] + LOOP_METADATA.format(said=said, enabled="true")
    text = text.replace("ptr %p\n", f"ptr %p{group}\n").replace("ptr %q\n", f"ptr %q{group}\n")
    assert hints(parse_llvm("t.ll", text=text).functions[0].function) == expected


def refusal(text: str) -> str:
    with pytest.raises(Refused) as found:
        parse_llvm("t.ll", text=text)
    return "\n".join(render(diagnostic, found.value.sources) for diagnostic in found.value.diagnostics)


@pytest.mark.parametrize(
    ("type_", "code", "message", "shown"),
    [
        ("i32", "%y = load volatile i32, ptr %p", "error[TRV057]", "%y = load volatile i32, ptr %p"),
        ("i32", "%y = load i32, ptr %p, align 1", "only aligned to 1 bytes", "%y = load i32, ptr %p, align 1"),
        ("i32", "%v = add <2 x i32> zeroinitializer, zeroinitializer\n  %y = add i32 %x, 1", "error[TRV056]", "-fno-vectorize"),
        ("half", "%y = fadd half %x, %x", "error[TRV056]", "getelementptr inbounds half"),
        ("i32", "%y = call i32 @llvm.bitreverse.i32(i32 %x)", "'llvm.bitreverse.i32'", "call i32 @llvm.bitreverse.i32(i32 %x)"),
        ("i32", "%y = atomicrmw add ptr %p, i32 1 seq_cst", "'atomicrmw'", "%y = atomicrmw add"),
        ("i32", "%y = call i32 %B(i32 %x)", "through a pointer", "%y = call i32 %B"),
    ],
)
def test_what_cannot_be_expressed_is_shown(type_: str, code: str, message: str, shown: str) -> None:
    text = loop(type_, code)
    found = refusal(text)
    assert message in found and shown in found
    line = next(k for k, line in enumerate(text.split("\n")) if shown in line) + 1 if shown in text else None
    assert line is None or f"t.ll:{line}:3: error[" in found


def test_what_is_not_llvm_ir_is_refused_with_its_place() -> None:
    found = refusal("define void @f() {\n  %x = frobnicate i32 1\n  ret void\n}\n")
    assert "t.ll:2:8: error[TRV054]: 't.ll' is not LLVM IR: expected instruction opcode" in found
    assert "%x = frobnicate i32 1" in found


def test_machines_with_other_addresses_are_refused() -> None:
    layout = 'target datalayout = "e-m:e-p:32:32-i64:64"\n'
    assert "error[TRV054]: 't.ll' is for a machine whose addresses do not have 64 bits" in refusal(layout + BLOCKS)


def test_the_command_reads_text_and_bitcode(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "kernel.ll"
    path.write_text(loop("double", "%y = fmul double %x, %x"))
    command = [str(path), "--brush", "8", "--emit", "header,obj", "-o", str(tmp_path)]
    assert main(command) == 0
    assert "void f(long n, signed char" not in capsys.readouterr().out
    assert "double *restrict A" in (tmp_path / "f.native.h").read_text()


GUARDED = """\
define void @f(i64 %n, ptr noalias %A, ptr noalias %B) {
  %none = icmp eq i64 %n, 0
  br i1 %none, label %done, label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %next = add nuw i64 %i, 1
  %p = getelementptr inbounds nuw double, ptr %A, i64 %i
  %x = load double, ptr %p
  %y = fadd double %x, %x
  %q = getelementptr inbounds nuw double, ptr %B, i64 %i
  store double %y, ptr %q
  %end = icmp eq i64 %next, %n
  br i1 %end, label %done, label %loop
done:
  ret void
}
"""
POINTERS = """\
define void @f(i64 %n, ptr noalias %A, ptr noalias %B) {
  %end = getelementptr inbounds nuw double, ptr %A, i64 %n
  %none = icmp eq i64 %n, 0
  br i1 %none, label %done, label %loop
loop:
  %p = phi ptr [ %A, %0 ], [ %p.next, %loop ]
  %q = phi ptr [ %B, %0 ], [ %q.next, %loop ]
  %p.next = getelementptr inbounds nuw i8, ptr %p, i64 8
  %q.next = getelementptr inbounds nuw i8, ptr %q, i64 8
  %x = load double, ptr %p
  %y = fadd double %x, %x
  store double %y, ptr %q
  %last = icmp eq ptr %p.next, %end
  br i1 %last, label %done, label %loop
done:
  ret void
}
"""


@pytest.mark.parametrize("text", [GUARDED, POINTERS], ids=["guarded", "pointers"])
def test_loops_of_rustc_are_counted(text: str) -> None:
    assert parse_llvm("t.ll", text=text).functions[0].parameters[1].restrict
    assert trv.compile(text, brush=8).kernel.tensorized.brushed
    assert applied(text, FLOATS) == (FLOATS + FLOATS).tolist()


CALLS = """\
declare i32 @printf(ptr, ...)
@text = private constant [3 x i8] c"%d\\00"
define weak i32 @chosen(i32 %a) {
  ret i32 %a
}
define i32 @f(i32 %a) {
  %b = call i32 @chosen(i32 %a)
  %c = call i32 (ptr, ...) @printf(ptr @text, i32 %b)
  ret i32 %c
}
"""
RECURSIVE = """\
define internal i32 @g(i32 %a) {
  %b = call i32 @g(i32 %a)
  ret i32 %b
}
define i32 @f(i32 %a) {
  %b = call i32 @g(i32 %a)
  ret i32 %b
}
"""


def test_calls_of_what_stands_elsewhere() -> None:
    unit = parse_llvm("t.ll", text=CALLS).function("f")
    calls = [(i.callee, i.fixed) for _, i in unit.function.instructions() if isinstance(i, Call)]
    assert calls == [("chosen", None), ("printf", 1)]


def test_recursion_is_refused() -> None:
    assert "error[TRV055]: 'g' is not compiled: 'g' calls itself" in refusal(RECURSIVE)
