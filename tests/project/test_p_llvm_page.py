"""docs/p-llvm.md names every word that the parser takes, and its example is read and run."""

import re
from pathlib import Path

from rv.ir.instructions import CONVERT_OPS, FLOAT_BINARY_OPS, FLOAT_PREDICATES, INT_BINARY_OPS, INT_PREDICATES
from rv.ir.types import NAMED_TYPES
from tensorrv.cli.gen import main

PAGE = (Path(__file__).parents[2] / "docs" / "p-llvm.md").read_text()


def test_the_grammar_has_every_word():
    words = {*re.findall(r"[\w-]+", PAGE)}
    known = {*CONVERT_OPS, *FLOAT_BINARY_OPS, *FLOAT_PREDICATES, *INT_BINARY_OPS, *INT_PREDICATES, *NAMED_TYPES}
    parser = (Path(__file__).parents[2] / "rv" / "ir" / "parser.py").read_text()
    taken = {*re.findall(r'(?:case|accept\(|expect\() ?"(\w+)"', parser)}
    assert (known | taken) - words == set()


def test_the_example_runs(tmp_path, capsys):
    path = tmp_path / "scale.pllvm"
    path.write_text(PAGE.partition("```\n")[2].partition("```")[0])
    assert main([str(path), "--run", "n=3", "f=0.5", "A=1,2,3"]) == 0
    assert capsys.readouterr().out == "A = [0.5, 1. , 1.5]\n"
