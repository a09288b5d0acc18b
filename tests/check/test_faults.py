"""Machine code that faults, never ends or needs too much memory: it is reported whose code it was, and the process goes on."""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import tensorrv.check.faults
from rv.target.machine import resolve_target
from tensorrv.check.compiler import CSource
from tensorrv.check.trial import bench_kernel, verify_kernel
from tensorrv.cli.gen import main
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.kernel import Kernel, compile_function
from tensorrv.report.diagnostics import Refused, Wrong
from tensorrv.schedule.plan import Plan, parse_brush
from tensorrv.unit.unit import Unit

GOOD = "void f(int n, const int a[restrict n], int b[restrict n]) { for (int i = 0; i < n; i++) b[i] = a[i] + 1; }"
FAULTS = GOOD.replace("a[i] + 1", "a[(a[i] & 1 | 2L) << 40]")
DIVIDES = GOOD.replace("a[i] + 1", "a[i] / (b[i] & 6)")
ENDLESS = GOOD.replace("{ for", "{ for (volatile int k = 0; n > 2; k++) ; for").replace("volatile ", "")
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def function(text: str) -> Unit:
    return parse_c("f.c", text=text).function("f")


def compiled(text: str, source: str = GOOD) -> Kernel:
    """Code of one text that passes for code of another one."""
    return replace(compile_function(function(text), Plan(parse_brush("none")), resolve_target("native")), source=function(source))


def verified(kernel: Kernel) -> None:
    verify_kernel(kernel, ())


def timed(kernel: Kernel) -> None:
    bench_kernel(kernel, ({"n": 40},), None)


@pytest.mark.parametrize("run", [verified, timed])
@pytest.mark.parametrize(
    ("text", "what"), [(FAULTS, "touches memory that is not there (SIGSEGV)"), (DIVIDES, "divides an integer by zero (SIGFPE)")]
)
def test_a_source_that_faults_is_not_blamed_on_the_brush(run, text: str, what: str) -> None:
    with pytest.raises(Refused, match=re.escape(what)) as refusal:
        run(compiled(text, text))
    (found,) = refusal.value.diagnostics
    assert (found.code, isinstance(refusal.value, Wrong)) == ("TRV096", False)
    assert found.message.startswith("the C source of 'f'") and found.hint


@pytest.mark.parametrize("run", [verified, timed])
def test_a_kernel_that_faults_where_the_source_does_not_is_wrong(run) -> None:
    with pytest.raises(Wrong, match=r"compiled code of 'f'.* touches memory .* where the scalar code does not \(with n") as wrong:
        run(compiled(FAULTS))
    assert wrong.value.diagnostics[0].code == "TRV097"


@pytest.mark.parametrize(("source", "code", "wrong"), [(ENDLESS, "TRV092", False), (GOOD, "TRV097", True)])
def test_code_that_never_ends_is_ended(monkeypatch: pytest.MonkeyPatch, source: str, code: str, wrong: bool) -> None:
    monkeypatch.setattr(tensorrv.check.faults, "LONGEST", 3.0)
    with pytest.raises(Refused, match="did not end within the time limit") as refusal:
        verify_kernel(compiled(ENDLESS, source), ({"n": 5},))
    assert refusal.value.diagnostics[0].code == code
    assert isinstance(refusal.value, Wrong) == wrong


EXHAUSTS = """
from tensorrv.check.runs import Running
def answer(request, note):
    note(Running("source", {"n": 7}))
    bytearray(1 << 50)
"""


def test_exhausted_memory_is_called_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"exhausts_{os.getpid()}"
    (tmp_path / f"{name}.py").write_text(EXHAUSTS)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(tensorrv.check.faults, "RUNS", f"{name}:answer")
    with pytest.raises(Refused, match=r"memory was exhausted .*\(with n=7\)") as refusal:
        verify_kernel(compiled(GOOD), ())
    assert refusal.value.diagnostics[0].code == "TRV099"


@needs_gcc
def test_the_scalar_code_is_held_against_the_c_compiler(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text(GOOD)
    found = verify_kernel(compiled(GOOD), (), CSource(path, ()))
    assert (found.compiler, found.difference) == ("gcc -O0", None)
    path.write_text(GOOD.replace("+ 1", "+ 2"))
    with pytest.raises(Wrong, match=r"the scalar code of 'f' and gcc -O0 give different results: b\[\d+\] is") as wrong:
        verify_kernel(compiled(GOOD), (), CSource(path, ()))
    assert wrong.value.diagnostics[0].code == "TRV098"
    path.write_text(FAULTS)
    with pytest.raises(Wrong, match=r"'f' as gcc -O0 compiles it touches memory"):
        verify_kernel(compiled(GOOD), (), CSource(path, ()))


@pytest.mark.parametrize("reason", ["no such file", "not C", "another function", "a call of what is nowhere"])
def test_no_second_opinion_is_no_failure(tmp_path: Path, reason: str) -> None:
    path = tmp_path / "f.c"
    if reason != "no such file":
        texts = {"not C": "!", "another function": GOOD.replace("f(", "g(")}
        path.write_text(texts.get(reason, f"void nowhere(void); void h(void) {{ nowhere(); }} {GOOD}"))
    found = verify_kernel(compiled(GOOD), (), CSource(path, ()))
    assert (found.compiler, found.difference) == (None, None)


@pytest.mark.parametrize(
    ("text", "status", "says"),
    [
        (FAULTS, 1, "error[TRV096]: the C source of 'f' touches memory"),
        (GOOD, 0, "bit-identical to the scalar code"),
    ],
)
def test_the_command_says_so(tmp_path: Path, monkeypatch, capfd, text: str, status: int, says: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.c").write_text(text)
    assert main(["f.c", "--brush", "none", "--verify", "--emit", "obj"]) == status
    output = capfd.readouterr()
    assert says in output.out + output.err
    assert "Traceback" not in output.err
    assert Path("f.native.o").exists() == (status == 0)


@needs_gcc
def test_the_command_names_the_second_opinion(tmp_path: Path, monkeypatch, capfd) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.c").write_text(GOOD)
    assert main(["f.c", "--brush", "8", "--verify"]) == 0
    assert "bit-identical to the scalar code and to gcc -O0" in capfd.readouterr().out


def test_a_kernel_that_faults_ends_the_command_with_status_3(tmp_path: Path, monkeypatch, capfd) -> None:
    import tensorrv.cli.selection

    wrong = compiled(FAULTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tensorrv.cli.selection, "compile_function", lambda *_, **__: wrong)
    Path("f.c").write_text(GOOD)
    assert main(["f.c", "--brush", "8", "--verify"]) == 3
    assert "error[TRV097]" in capfd.readouterr().err
