"""The nests of one preprocessed file: which are compiled, with what code, and why the others stay with the compiler."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from rv.evolution.facts import Legal
from rv.internal_error import InternalError, internal_error
from rv.ir.source import Span
from tensorrv.cli.cc.dialect import CompilerDialect
from tensorrv.cli.cc.options import CcOptions
from tensorrv.frontend.outline.program import Lowered, OutlinedFile, Site
from tensorrv.pipeline.kernel import Kernel, compile_function
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.run.tuner import the_tuner
from tensorrv.schedule.plan import SCALAR, Plan
from tensorrv.unit.unit import Unit

_PROFILED: Final = re.compile(r"^tensorrv-cc: (.*:\d+:\d+): nest in .*, (\S[^,]* is faster)$", re.MULTILINE)
LARGEST: Final = 6000
"""Instructions of P-LLVM in a nest; larger ones are outlined loop by loop."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of a nest: it is compiled, or stays with the compiler for a reason, which may be a bug of ours."""

    site: Site
    span: Span | None
    lowered: Lowered | None = None
    kernel: Kernel | None = None
    reason: Diagnostic | InternalError | None = None


def compile_nests(file: OutlinedFile, dialect: CompilerDialect, options: CcOptions) -> tuple[Outcome, ...]:
    """What becomes of the nests of a file, outermost ones first: inner ones are tried where outer ones cannot be compiled."""
    slower = _slower(options)
    plan = Plan(fp=dialect.fp, strict_aliasing=dialect.strict_aliasing)
    return tuple(found for site in file.sites for found in _compiled(file, site, plan, dialect, options, slower))


def _compiled(
    file: OutlinedFile, site: Site, plan: Plan, dialect: CompilerDialect, options: CcOptions, slower: frozenset[str]
) -> Iterator[Outcome]:
    span = file.syntax.span(site.nest.node)
    if str(span) in slower:
        yield Outcome(site, span, reason=Diagnostic("note", "TRV505", "by its profile the compiler's code is faster", span))
        return
    lowered = file.lowered(site)
    found = lowered if isinstance(lowered, Diagnostic) else _kernel(lowered.source, plan, dialect, options)
    if isinstance(found, Kernel):
        assert isinstance(lowered, Lowered)
        yield Outcome(site, span, lowered, found)
    elif site.inside and not (isinstance(found, Diagnostic) and found.code == "TRV505"):
        if isinstance(found, InternalError):
            yield Outcome(site, span, reason=found)
        for inner in site.inside:
            yield from _compiled(file, inner, plan, dialect, options, slower)
    else:
        yield Outcome(site, span, reason=found)


def _slower(options: CcOptions) -> frozenset[str]:
    """The places of nests that a profile has found to be slower than the originals."""
    if options.use is None:
        return frozenset()
    found = _PROFILED.findall(Path(options.use).read_text(encoding="utf-8", errors="replace"))
    return frozenset(place for place, faster in found if faster == "the original is faster")


def _kernel(source: Unit, plan: Plan, dialect: CompilerDialect, options: CcOptions) -> Kernel | Diagnostic | InternalError:
    """The code of a nest, or why the compiler's is taken: the program must be built even if that is a bug of ours."""
    if sum(len(block.body) for block in source.function.blocks) > LARGEST:
        return Diagnostic("note", "TRV508", "the nest is too large", source.function.span)
    try:
        if options.brush is None:
            kernel = the_tuner().compile_automatically(source, replace(plan, auto=True), dialect.target, {}, brushed_only=True)
        else:
            kernel = compile_function(source, replace(plan, brush=options.brush), dialect.target)
    except Refused as refusal:
        return _as_slow(refusal.diagnostics[0])
    except Exception as error:
        return internal_error(error)
    if options.brush == SCALAR:
        return kernel
    refused = [choice.outcome for choice in kernel.tensorized.choices if isinstance(choice.outcome, Diagnostic)]
    if not any(isinstance(choice.outcome, Legal) for choice in kernel.tensorized.choices):
        why = refused[0] if refused else Diagnostic("note", "TRV086", "there is no loop to which a brush can be applied")
        return _as_slow(why)
    return kernel if options.every else the_tuner().slower_than_compiler(kernel) or kernel


def _as_slow(why: Diagnostic) -> Diagnostic:
    """A nest that would be slower with a brush is left to the compiler for that reason."""
    return why if why.code != "TRV317" else replace(why, code="TRV505")
