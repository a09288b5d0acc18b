"""One bad program per mistake: the finding is written below the offending text, with the carets where they are reported."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tensorrv.frontend.c.codes import CODES
from tensorrv.frontend.c.module import parse_c
from tensorrv.report.diagnostics import Diagnostic, Refused, render

PROGRAMS = sorted((Path(__file__).parent / "errors").glob("*.c"))
_EXPECTED = re.compile(r"^// *(\^+) (TRV\d\d\d) (.*)$")


def findings(path: Path) -> tuple[list[Diagnostic], dict[str, str]]:
    """Everything that is reported about a file: errors, and reasons for passing functions over."""
    try:
        module = parse_c(path)
    except Refused as refusal:
        assert all(d.severity == "error" for d in refusal.diagnostics)
        return list(refusal.diagnostics), dict(refusal.sources)
    notes = [note for function in module.functions for note in function.notes]
    return [*module.problems, *(d for _, d in module.passed_over), *notes], dict(module.sources)


def expectations(text: str) -> list[tuple[int, int, int, str, str]]:
    """Line, column, length, code and message of every comment with carets; it speaks about the line above it."""
    found = []
    for number, line in enumerate(text.split("\n")):
        match = _EXPECTED.match(line)
        if match:
            found.append((number, match.start(1) + 1, len(match[1]), match[2], match[3]))
    return found


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program_is_refused_with_the_finding_below_the_line(path: Path) -> None:
    (line, column, length, code, message), *more = expectations(path.read_text())
    assert not more
    relevant, sources = findings(path)
    reported = next((d for d in relevant if d.code == code and d.span is not None and d.span.line == line), relevant[0])
    shown = render(reported, sources)
    assert reported.span is not None
    actual = (reported.code, reported.message, reported.span.line, reported.span.column, reported.span.length)
    assert actual == (code, message, line, column, length), shown
    assert shown.startswith(f"{path}:{line}:{column}: {reported.severity}[{code}]: {message}\n")
    assert reported.label


def test_every_code_has_a_program() -> None:
    text = "".join(path.read_text() for path in PROGRAMS)
    assert {code for code in CODES if code not in text} == {"TRV001", "TRV005", "TRV006"}  # tested below


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(Refused) as caught:
        parse_c(tmp_path / "none.c")
    (finding,) = caught.value.diagnostics
    assert finding.code == "TRV001" and "No such file" in finding.message


DEEP = {
    "parentheses": ("int f(int n) { return " + "(" * 3000, "n" + ")" * 3000 + "; }", -1),
    "sum": ("int f(int n) { return n" + " + 1" * 6000 + " +", " n; }", -1),
    "blocks": ("void f(int n) {" + "if (n) {" * 3000, "}" * 3000 + "}", -1),
    "negations": ("int f(int n) { return " + "!" * 5000, "n; }", -1),
    "else": ("int f(int n) {" + "if (n == 1) n = n; else " * 3000 + "if (n =", "= 1) n = n; return n; }", -1),
}
"""Text up to and after the place that is shown, which is so many characters before the end of the first part."""


@pytest.mark.parametrize(("before", "after", "back"), DEEP.values(), ids=DEEP.keys())
def test_deep_nesting_is_refused_with_its_place(before: str, after: str, back: int) -> None:
    lines = "int g(int n) { int a = n * (n + 2); return a; }\n"
    with pytest.raises(Refused) as caught:
        parse_c("deep.c", text=lines + before + after)
    (found,) = caught.value.diagnostics
    assert found.code == "TRV005" and found.span is not None and found.span.line == 2
    assert found.span.column == len(before) + back + 1


def test_long_expressions_are_fine() -> None:
    terms = " + ".join(f"A[n + {k}]" for k in range(1000))
    module = parse_c("long.c", text=f"double f(int n, const double *A) {{ return {terms}; }}")
    assert len(module.functions) == 1


def test_a_header_that_includes_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text('#include "a.h"\n')
    (tmp_path / "a.c").write_text('#include "a.h"\n')
    with pytest.raises(Refused) as caught:
        parse_c(tmp_path / "a.c")
    assert caught.value.diagnostics[0].code == "TRV002"


def test_all_errors_of_a_file_are_reported_once() -> None:
    with pytest.raises(Refused) as caught:
        parse_c("two.c", text="void f(int n) { n = a; n = b; }\nvoid g(int n) { n = 2 % 1.0; }\n")
    assert [d.code for d in caught.value.diagnostics] == ["TRV010", "TRV012"]


def test_asking_for_a_function_that_was_passed_over_is_an_error_with_the_reason() -> None:
    module = parse_c("m.c", text="union s { int a; };\nvoid f(union s *p) { p->a = 1; }\nvoid g(int *p) { *p = 1; }\n")
    assert [f.name for f in module.functions] == ["g"]
    with pytest.raises(Refused) as caught:
        module.function("f")
    (finding,) = caught.value.diagnostics
    assert (finding.severity, finding.code) == ("error", "TRV030")
    with pytest.raises(Refused, match="no function 'h'"):
        module.function("h")
    assert module.function("g").name == "g"
