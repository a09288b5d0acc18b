"""`--run`: functions on the interpreter, with arguments from the command line and from files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tensorrv.cli.gen import main

DOUBLED = """\
interface @doubled { %n: signed
result: signed }
define i32 @doubled(i32 %n, ptr %A) {
entry:
  jump loop
loop:
  %i = phi i32 [0, entry], [%i.1, body]
  %s = phi i32 [0, entry], [%s.1, body]
  %c = icmp slt i32 %i, %n
  branch %c, body, done
body:
  %k = sext i32 %i to i64
  %p = elemptr i32, %A [%k]
  %a = load i32, %p
  %d = add i32 %a, %a
  store i32 %d, %p
  %s.1 = add i32 %s, %d
  %i.1 = add nsw i32 %i, 1
  jump loop
done:
  return i32 %s
}
"""
OTHERS = "double half(double x) { return x / 2; } int table(int k) { static const int w[3] = {4, 5, 6}; return w[k]; }"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "doubled.pllvm").write_text(DOUBLED)
    return tmp_path / "doubled.pllvm"


def test_arguments_of_the_command_line(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(path), "--run", "n=4", "A=1,-20,3*2"]) == 0
    assert capsys.readouterr().out == "doubled: -26\nA = [  2, -40,   6,   6]\n"


def test_arguments_of_a_file(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "data.npz", n=2, A=np.array([3, 4, 5], np.int32))
    assert main([str(path), "--run", "--data", str(tmp_path / "data.npz"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"function": "doubled", "result": 14, "arrays": {"A": [6, 8, 5]}}


def test_functions_in_c(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "others.c"
    source.write_text(OTHERS)
    assert main([str(source), "--function", "half", "--run", "x=3"]) == 0
    assert main([str(source), "--function", "table", "--run", "k=2"]) == 0
    assert capsys.readouterr().out == "half: 1.5\ntable: 6\n"
    assert main([str(source), "--run", "x=3"]) == 1
    assert "error[TRV082]: the file has several functions: half, table" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["n=4", "A=1,2"], 1, "doubled.pllvm:14:3: error[TRV096]: 'doubled' cannot be run on these arguments: access"),
        (["n=4"], 1, "error[TRV104]: nothing is given for 'A'"),
        (["n=4.5", "A=1"], 1, "error[TRV104]: 'n=4.5' gives no numbers of type int32"),
        (["n=4", "A=3000000000"], 1, "error[TRV104]: 'A=3000000000' gives no numbers of type int32"),
        (["n=1", "A=1", "m=3"], 1, "error[TRV104]: 'doubled' has no parameter 'm'"),
        (["n"], 2, "error[TRV080]: 'n' is not an argument of a function"),
    ],
)
def test_what_does_not_fit(path: Path, words: list[str], status: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(path), "--run", *words]) == status
    assert message in capsys.readouterr().err
