"""`--view`: pictures of control flow."""

from __future__ import annotations

from pathlib import Path

import pytest

import rv
from rv.ir.parser import parse_function
from rv.pictures import PICTURES, Marks, picture
from tensorrv.cli.gen import main

SOURCE = """void f(int n, const double *restrict a, double *restrict b)
{
    for (int i = 0; i < n; i++)
        if (a[i] > 0)
            b[i] = a[i] / 3 + b[i];
}
"""

ARMS = """define i32 @arms(i32 %c, i32 %x) {
a:
  %p = icmp eq i32 %c, 0
  branch %p, b, d
b:
  %y = add i32 %x, 1
  jump d
d:
  %z = phi i32 [%x, a], [%y, b]
  return i32 %z
}
"""

DRAWN = r"""digraph "arms regions" {
  label="arms: control-dependence regions"; labelloc=t; fontname=monospace; fontsize=10;
  node [shape=box, style=filled, fillcolor=white, fontname=monospace, fontsize=10];
  edge [fontname=monospace, fontsize=10];
  subgraph cluster_0 { style=rounded; color=gray; label="always";
    "a" [label="a\n1 instruction\nbranch %p", fillcolor=orange];
    "d" [label="d\n1 instruction\nreturn %z"];
  }
  subgraph cluster_1 { style=rounded; color=gray; label="a = 1";
    "b" [label="b\n1 instruction", fillcolor=lightyellow];
  }
  "a" -> "b" [label="1", color=red];
  "a" -> "d" [label="0", color=red];
  "b" -> "d";
}
"""


def test_picture() -> None:
    assert picture(parse_function(ARMS), "regions", Marks(frozenset("a"), frozenset("b"))) == DRAWN
    assert rv.view(ARMS, "regions", {"x": rv.Uniform()}) == DRAWN
    assert "red" not in rv.view(ARMS, "cfg", {"c": rv.Uniform()})


@pytest.mark.parametrize(
    ("kind", "edges"),
    [
        ("cdg", {'"a" -> "b" [label="1"];'}),
        ("dom", {'"a" -> "b";', '"a" -> "d";'}),
        ("pdom", {'"d" -> "a";', '"d" -> "b";'}),
    ],
)
def test_trees(kind: str, edges: set[str]) -> None:
    (found,) = [k for k in PICTURES if k == kind]
    text = picture(parse_function(ARMS), found)
    assert {line.strip() for line in text.splitlines() if " -> " in line} == edges


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "f.c").write_text(SOURCE)
    assert main([str(tmp_path / "f.c"), "--brush", "8", "--target", "avx2", "--view", "cfg,pdom", "-o", str(tmp_path / "o")]) == 0
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == ["f.cfg.dot", "f.pdom.dot"]
    text = (tmp_path / "o" / "f.cfg.dot").read_text()
    assert "orange" in text and "lightyellow" in text and "style=dashed" in text
    assert "f.cfg.dot" in capsys.readouterr().out


def test_drawn_with_graphviz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "f.c").write_text(SOURCE)
    command = [str(tmp_path / "f.c"), "--brush", "none", "--target", "avx2", "--view", "dom.svg", "-o", str(tmp_path / "o")]
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert main(command) == 1
    assert "TRV103" in capsys.readouterr().err and not (tmp_path / "o").exists()
    program = tmp_path / "bin" / "dot"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nread line\necho "<svg> $1 $line"\n')
    program.chmod(0o755)
    assert main(command) == 0
    assert (tmp_path / "o" / "f.dom.svg").read_text() == '<svg> -Tsvg digraph "f dom" {\n'


def test_unknown_picture(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["jacobi5", "--view", "cfg,tree"]) == 2
    message = capsys.readouterr().err
    assert "'tree' is not a picture" in message and all(kind in message for kind in PICTURES)
