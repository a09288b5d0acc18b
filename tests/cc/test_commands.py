"""`tensorrv-cc` does what gcc does: outputs, dependency files, messages, exit status, several files, linking."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tensorrv.cli.cc.cli import main
from tensorrv.cli.cc.command import read_command
from tests.cc.compilers import compiled, needs_gcc, output

pytestmark = needs_gcc

KERNEL = """\
#include "kernel.h"
static double weights[64][64];
double kernel(int n, double a[n][64])
{
    int i, j;
    double s = 0;
    for (i = 0; i < 64; i++)
        for (j = 0; j < 64; j++)
            weights[i][j] = i - 2 * j;
    for (i = 1; i < n - 1; i++)
        for (j = 1; j < 63; j++)
            a[i][j] = weights[j][i] + weights[i][j + 1] + weights[i][j - 1];
    for (i = 0; i < n; i++)
        for (j = 0; j < 64; j++)
            s += a[i][j] * (i + j);
    return s;
}
"""
MAIN = """\
#include <stdio.h>
#include "kernel.h"
static double a[40][64];
int main(void) { printf("%g\\n", kernel(40, a)); return 3; }
"""
HEADER = "double kernel(int n, double a[n][64]);\n"
PRINTED = "-1.36183e+07\nstatus 3"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "kernel.c").write_text(KERNEL)
    (tmp_path / "main.c").write_text(MAIN)
    (tmp_path / "kernel.h").write_text(HEADER)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def is_replaced(file: Path) -> bool:
    """Whether a file holds the function of a nest."""
    return b"trv_nest_" in file.read_bytes()


def test_objects_and_the_program_that_they_make(project: Path) -> None:
    report = compiled(project, "-O3", "-g", "-march=native", "-c", "kernel.c", "main.c")
    assert "kernel.c: 2 of 3 nests replaced" in report
    assert is_replaced(project / "kernel.o") and not is_replaced(project / "main.o")
    compiled(project, "kernel.o", "main.o", "-o", "program")
    assert output(project / "program") == PRINTED
    assert not list(project.glob(".*")), "nothing is left behind"


def test_several_sources_and_linking_in_one_command(project: Path) -> None:
    compiled(project, "-O2", "kernel.c", "main.c", "-o", "program", "-lm")
    assert output(project / "program") == PRINTED and is_replaced(project / "program")
    compiled(project, "-O2", "kernel.c", "main.c")
    assert output(project / "a.out") == PRINTED


@pytest.mark.parametrize(
    "flags",
    [("-fPIC", "-shared"), ("-fPIC", "-shared", "-fno-plt"), ("-fPIC", "-shared", "-fvisibility=hidden")],
    ids=["PIC", "without PLT", "hidden"],
)
def test_shared_libraries(project: Path, flags: tuple[str, ...]) -> None:
    (project / "kernel.c").write_text(KERNEL.replace("double kernel", '__attribute__((visibility("default"))) double kernel'))
    report = compiled(project, "-O3", "-march=native", *flags, "kernel.c", "-o", "libkernel.so")
    assert "2 of 3" in report
    compiled(project, "-O3", "main.c", "-L.", "-lkernel", f"-Wl,-rpath,{project}", "-o", "program")
    assert output(project / "program") == PRINTED


@pytest.mark.parametrize(
    "flags",
    [
        ("-static",),
        ("-no-pie", "-fno-pic"),
        ("-ffunction-sections", "-Wl,--gc-sections"),
        ("-masm=intel",),
        ("-std=c99", "-pedantic"),
    ],
    ids=lambda flags: flags[0],
)
def test_options_about_code(project: Path, flags: tuple[str, ...]) -> None:
    assert "2 of 3" in compiled(project, "-O3", "-march=native", *flags, "kernel.c", "main.c", "-o", "program")
    assert output(project / "program") == PRINTED


def test_assembly(project: Path) -> None:
    compiled(project, "-O3", "-march=native", "-S", "kernel.c")
    assert is_replaced(project / "kernel.s")
    subprocess.run(["gcc", "kernel.s", "main.c", "-o", "program"], check=True)
    assert output(project / "program") == PRINTED


def test_preprocessing_is_the_compilers(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = read_command(["-E", "kernel.c"])
    assert command.apart == "-E"
    subprocess.run(["gcc", "-E", "kernel.c", "-o", "expected.i"], check=True)
    compiled(project, "-E", "kernel.c", "-o", "found.i")
    assert (project / "found.i").read_text() == (project / "expected.i").read_text()


@pytest.mark.parametrize(
    "flags",
    [("-MD",), ("-MMD", "-MP"), ("-MD", "-MF", "x.dep", "-MT", "goal"), ("-Wp,-MD,x.dep",)],
    ids=" ".join,
)
def test_dependency_files_are_those_of_gcc(project: Path, flags: tuple[str, ...]) -> None:
    name = "x.dep" if "x.dep" in " ".join(flags) else "out.d"
    subprocess.run(["gcc", "-O2", *flags, "-c", "kernel.c", "-o", "out.o"], check=True)
    expected = (project / name).read_text()
    (project / name).unlink()
    report = compiled(project, "-O2", *flags, "-c", "kernel.c", "-o", "out.o")
    assert "2 of 3" in report and (project / name).read_text() == expected


def test_response_files(project: Path) -> None:
    (project / "words").write_text('-O2 "-DUNUSED=a b"\n-c kernel.c')
    assert "2 of 3" in compiled(project, "@words", "-o", "kernel.o")
    assert is_replaced(project / "kernel.o")


def test_errors_are_the_compilers(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "kernel.c").write_text(KERNEL.replace("int i, j;", "int i;"))
    expected = subprocess.run(["gcc", "-O2", "-c", "kernel.c"], capture_output=True, text=True, check=False)
    capfd.readouterr()
    assert main(["-O2", "-c", "kernel.c"]) == expected.returncode == 1
    assert capfd.readouterr().err == expected.stderr
    assert not (project / "kernel.o").exists()


def test_warnings_are_the_compilers(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "kernel.c").write_text(KERNEL.replace("int i, j;", "int i, j, unused; unsigned k = 3; for (i = 0; i < k; i++);"))
    words = ["-O2", "-Wall", "-Wextra", "-c", "kernel.c"]
    expected = subprocess.run(["gcc", *words], capture_output=True, text=True, check=False)
    capfd.readouterr()
    assert main(words) == 0
    assert capfd.readouterr().err == expected.stderr != ""
    assert main(["-Werror", *words]) == 1


def test_lines_of_the_rest_keep_their_numbers(project: Path) -> None:
    (project / "kernel.c").write_text(KERNEL + "int where(void) { return __LINE__; }\n")
    compiled(project, "-O2", "-g", "-c", "kernel.c")
    assert is_replaced(project / "kernel.o")
    shown = subprocess.run(["gdb", "--version"], capture_output=True, check=False) if shutil.which("gdb") else None
    listing = subprocess.run(["objdump", "-dl", "kernel.o"], capture_output=True, text=True, check=True).stdout
    lines = {int(n) for n in re.findall(r"kernel\.c:(\d+)", listing)}
    assert 18 in lines and max(lines) <= 18, shown


@pytest.mark.parametrize(
    "flag", ["-O0", "-flto", "-fsanitize=undefined", "-fwrapv", "-funsigned-char", "-Os", "-fno-tree-vectorize", "-g3"]
)
def test_what_is_left_to_the_compiler(project: Path, flag: str) -> None:
    report = compiled(project, "-O2", flag, "-c", "kernel.c")
    assert "left to the compiler" in report
    assert not is_replaced(project / "kernel.o")


def test_without_optimization(project: Path) -> None:
    assert "without optimization" in compiled(project, "-c", "kernel.c")


def test_a_failure_of_ours_leaves_the_compilers_object(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> str:
        raise RuntimeError("invented")

    monkeypatch.setattr("tensorrv.cli.cc.replace.call_of", broken)
    report = compiled(project, "-O2", "-c", "kernel.c", "main.c")
    assert "left to the compiler: TRV507: internal error: RuntimeError: invented" in report
    assert (project / "kernel.o").exists() and not is_replaced(project / "kernel.o")


def test_text_that_the_compiler_refuses(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorrv.cli.cc.replace.call_of", lambda *_: "this is no C")
    report = compiled(project, "-O2", "kernel.c", "main.c", "-o", "program")
    assert "the compiler refuses the file with nests replaced" in report
    assert output(project / "program") == PRINTED


def test_options_of_ours_that_make_no_sense(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--tensorrv-brush=0x3", "-c", "kernel.c"]) == 2
    assert main(["--tensorrv-nonsense", "-c", "kernel.c"]) == 2
    assert "--tensorrv-help lists them" in capfd.readouterr().err


def test_another_compiler(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clang = next((name for name in ("clang", "clang-19") if shutil.which(name)), None)
    if clang is None:
        pytest.skip("clang is not installed")
    monkeypatch.setenv("TENSORRV_CC", clang)
    assert "2 of 3" in compiled(project, "-O3", "-g", "-march=native", "kernel.c", "main.c", "-o", "program")
    assert output(project / "program") == PRINTED


def test_make(project: Path) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    (project / "Makefile").write_text("CFLAGS = -O2\nprogram: main.o kernel.o\n\t$(CC) $^ -o $@\nmain.o kernel.o: kernel.h\n")
    words = [f"CC={sys.executable} -m tensorrv.cli.cc.cli --tensorrv-report=log"]
    subprocess.run(["make", "-j2", *words], check=True, capture_output=True)
    assert "2 of 3" in (project / "log").read_text()
    assert output(project / "program") == PRINTED


def test_a_bug_of_ours_leaves_the_nest_to_the_compiler_and_is_reported_as_one(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("planted")

    monkeypatch.setattr("tensorrv.cli.cc.nests.compile_function", broken)
    assert main(["--tensorrv-brush=8", "--tensorrv-explain", "kernel.c", "main.c", "-O2", "-o", "prog"]) == 0
    assert output(project / "prog") == PRINTED
    printed = capsys.readouterr().err
    assert "TRV507: internal error: KeyError: 'planted' at " in printed and "This is a bug in TensorRV" in printed
