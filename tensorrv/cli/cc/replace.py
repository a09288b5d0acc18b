"""The text of a preprocessed file with its nests replaced, as far as they can be and that is worth it."""

from __future__ import annotations

import re
from typing import Final

from tensorrv.cli.cc.assembly import as_c, embedded
from tensorrv.cli.cc.dialect import Apart, CompilerDialect
from tensorrv.cli.cc.nests import Outcome, compile_nests
from tensorrv.cli.cc.options import CcOptions
from tensorrv.cli.cc.report import Report
from tensorrv.cli.cc.watch import Watched, code_of, watched_insertions
from tensorrv.frontend.c.preprocess.compiler_text import placed_text
from tensorrv.frontend.outline.calls import call_of, inserted, insertions
from tensorrv.frontend.outline.program import Lowered, outlined

_FORBIDDING: Final = re.compile(
    r"#\s*pragma\s+(?:STDC\s+FENV_ACCESS\s+(?:ON|on)|GCC\s+(?:target|optimize|push_options)|clang\s+fp|float_control|weak|redefine_extname)"
)
PREFIX: Final = "trv_nest"


def replaced_text(
    text: str, name: str, dialect: CompilerDialect, options: CcOptions, report: Report
) -> str | None:
    """The file's text with calls and code of its nests; None when nothing is replaced. Raises Apart."""
    forbidding = _FORBIDDING.search(text)
    if forbidding is not None:
        raise Apart(" ".join(forbidding[0].split()))
    sources: dict[str, str] = {}
    file = outlined(placed_text(text, name, sources), dialect.pragmas, PREFIX, replaceable=dialect.replaceable)
    outcomes = compile_nests(file, dialect, options)
    report.nests(name, outcomes, file.closed, sources)
    taken = [outcome for outcome in outcomes if outcome.kernel is not None]
    if not taken:
        return None
    code = as_c([_assembly(outcome) for outcome in taken], intel=dialect.intel)
    if options.watch:
        watched = [Watched(one.site, _lowered(one), f"{one.span}: nest in {one.site.function}") for one in taken]
        found = [part for one in watched for part in watched_insertions(file, one, options.watch, dialect.fp)]
        return code_of(watched, dialect.target.architecture) + inserted(text, found) + code
    found = [part for one in taken for part in insertions(file, one.site, "1", call_of(one.site, _lowered(one)))]
    return inserted(text, found) + code


def _lowered(outcome: Outcome) -> Lowered:
    assert outcome.lowered is not None
    return outcome.lowered


def _assembly(outcome: Outcome) -> str:
    assert outcome.kernel is not None
    return embedded(outcome.kernel.module.assembly, outcome.kernel.name)
