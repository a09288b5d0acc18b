"""`tensorrv-gen`: the command line.

Exit status: 0; 1 the input was refused; 2 bad usage; 3 verification found a difference; 70 a bug of ours.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorrv.cli.exit_status import DIFFERENT, DONE, REFUSED, exit_status, print_diagnostics
from tensorrv.cli.options import Options, UsageError, parse_options
from tensorrv.cli.steps import Steps
from tensorrv.report.diagnostics import Diagnostic, Refused, Wrong

if TYPE_CHECKING:
    from tensorrv.check.compiler import CSource
    from tensorrv.check.given.values import Given
    from tensorrv.cli.facts import FunctionFacts
    from tensorrv.pipeline.stages import StageTime
    from tensorrv.unit.unit import Unit

def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command with `arguments` (default: the process's) and gives the exit status."""
    given = sys.argv[1:] if arguments is None else arguments

    def misused(diagnostic: Diagnostic) -> None:
        if "--json" in given:
            from tensorrv.cli.facts import document

            _print_json(document(None, None, [], [], [diagnostic]))

    return exit_status(lambda: _guarded(parse_options(given)), misused)


def _guarded(options: Options) -> int:
    try:
        return _run(options) if options.run is None else _interpret(options, options.run)
    except Refused as refusal:
        if options.json:
            from tensorrv.cli.facts import document

            _print_json(document(options.kernel, options.target, [], [], refusal.diagnostics))
        elif options.explain:
            print("\n\n".join(refusal.explanations))
        print_diagnostics(refusal.diagnostics, refusal.sources)
        return DIFFERENT if isinstance(refusal, Wrong) else REFUSED


def _interpret(options: Options, words: Sequence[str]) -> int:
    """`--run`: nothing is compiled."""
    from tensorrv.cli.interpret import document, interpret, show

    left = interpret(options, words)
    if options.json:
        _print_json(document(left))
    else:
        show(left)
    return DONE


def _run(options: Options) -> int:
    """The whole command: read, compile, verify, write, report. What verification finds wrong is not written."""
    from rv.ir.steps import Keep, forget
    from tensorrv.cli.facts import FunctionFacts, document
    from tensorrv.cli.selection import check_sizes, compile_selected
    from tensorrv.frontend.read import read_module
    from tensorrv.frontend.shipped import find_kernel
    from tensorrv.pipeline.stages import StageClock
    from tensorrv.unit.callable_units import opened_where_possible

    clock = StageClock()
    path = find_kernel(options.kernel)
    with clock.stage("read"):
        module = read_module(path, defines=options.defines, include_dirs=options.include, cpp=options.cpp)
    sizes = options.sizes[0] if options.sizes else {}
    steps: defaultdict[str, Steps] = defaultdict(Steps)
    keep_for: Callable[[str], Keep] = (lambda name: steps[name].keep) if options.print_after else (lambda name: forget)
    selection = compile_selected(
        module, options.functions, options.brush, options.plan, options.target, sizes, keep_for, options.database
    )
    check_sizes([opened_where_possible(kernel.source) for kernel in selection.kernels], options.sizes)
    print_diagnostics(selection.diagnostics, module.sources)
    functions = [FunctionFacts(kernel) for kernel in selection.kernels]
    with _sources(module.sources):
        tolerant = len(functions) > 1 and not options.functions
        source = _source(path, options)
        given = _given(functions, options)
        equal = [_verify(facts, options, source, given, tolerant=tolerant) for facts in functions]
        if all(equal):
            with clock.stage("emit"):
                _write(functions, options)
        for facts in functions:
            _report(facts, source, options, given, module.sources, steps[facts.kernel.name])
    if options.json:
        _print_json(document(options.kernel, options.target, functions, clock.times, selection.diagnostics))
    elif options.time_stages:
        _show_stages(clock.times, functions)
    return DONE if all(equal) else DIFFERENT


def _source(path: Path, options: Options) -> CSource | None:
    """The file for other compilers; None for a pipe, which they cannot read a second time, and for what is not C."""
    from tensorrv.check.compiler import CSource
    from tensorrv.frontend.read import is_c
    from tensorrv.frontend.shipped import INCLUDE

    flags = [f"-D{name}={value}" for name, value in options.defines] + [f"-I{directory}" for directory in options.include]
    return CSource(path, (*flags, f"-I{INCLUDE}")) if path.is_file() and is_c(path, None) else None


Givens = Callable[["FunctionFacts"], "Given"]
"""What is given for the runs of a function. Raises Refused."""


def _given(functions: Sequence[FunctionFacts], options: Options) -> Givens:
    """The data and constraints of the command line for one of the functions, read when they are first needed."""
    found: dict[str, Given] = {}

    def given(facts: FunctionFacts) -> Given:
        from tensorrv.check.trial import runnable

        unit = runnable(facts.kernel).source
        if unit.name not in found:
            found[unit.name] = read(unit)
        return found[unit.name]

    def read(unit: Unit) -> Given:
        from tensorrv.check.given.fitting import check_names, fit
        from tensorrv.check.given.reading import read_arguments
        from tensorrv.check.trial import runnable

        constraints, units = options.constraints, [runnable(facts.kernel).source for facts in functions]
        check_names(units, [*constraints.lengths, *constraints.ranges])
        arguments = {} if options.data is None else read_arguments(options.data, unit.name)
        check_names(units, arguments)
        if options.data is not None and len(options.sizes) > 1:
            message = "data have one set of sizes, but --size is given several times"
            raise UsageError(Diagnostic("error", "TRV080", message, hint="give --size once, for what the data leave open"))
        return fit(unit, arguments, constraints, options.sizes[0] if options.sizes else {})

    return given


def _verify(
    facts: FunctionFacts, options: Options, source: CSource | None, givens: Givens, *, tolerant: bool
) -> bool:
    """Whether the function equals its scalar code, as far as that was requested.

    `tolerant`: a function that cannot be run, as one of several that were not selected by name, is passed over with a warning.
    """
    if not options.verify and not options.bench:
        return True
    from tensorrv.check.trial import check_runs, runnable, verify_kernel

    try:
        kernel, given = runnable(facts.kernel), givens(facts)
        check_runs(kernel, options.sizes, given)
        if options.verify:
            own = source if kernel is facts.kernel else None
            facts.verification = verify_kernel(kernel, options.sizes, own, given, small=options.small_sizes)
    except Refused as refusal:
        if not tolerant or isinstance(refusal, Wrong):
            raise
        facts.not_run = replace(refusal.diagnostics[0], severity="warning")
        return True
    return facts.verification is None or facts.verification.difference is None


def _write(functions: Sequence[FunctionFacts], options: Options) -> None:
    from tensorrv.pipeline.forms import render_forms
    from tensorrv.report.output import write_files

    contents = [{**render_forms(facts.kernel, options.emit), **_pictures(facts, options)} for facts in functions]
    written = write_files(options.directory, {name: data for files in contents for name, data in files.items()})
    for facts, files in zip(functions, contents, strict=True):
        facts.files = [file for file in written if file.name in files]


def _pictures(facts: FunctionFacts, options: Options) -> Mapping[str, bytes]:
    if not options.views:
        return {}
    from tensorrv.pipeline.views import picture_files

    return picture_files(facts.kernel, [(view.picture, view.drawn) for view in options.views])


def _report(
    facts: FunctionFacts, source: CSource | None, options: Options, givens: Givens, sources: Mapping[str, str], steps: Steps
) -> None:
    """Prints the requested reports on one function."""
    from tensorrv.cli import show

    if options.print_after:
        facts.printed = list(steps.texts(facts.kernel, options.print_after))
    if options.explain:
        from tensorrv.pipeline.explain.nests import explain_kernel

        facts.explanation = explain_kernel(facts.kernel)
        if facts.kernel.tensorized.arrays:
            from tensorrv.pipeline.layout_cost import layout_cost

            facts.layout_cost = layout_cost(facts.kernel)
    if facts.not_run is not None:
        print_diagnostics([facts.not_run], sources)
    elif options.bench:
        from tensorrv.check.trial import bench_kernel, runnable

        kernel = runnable(facts.kernel)
        own = source if kernel is facts.kernel else None
        facts.benchmarks = bench_kernel(kernel, options.sizes, own, givens(facts))
    if not options.json:
        show.function(facts)


@contextmanager
def _sources(sources: Mapping[str, str]) -> Iterator[None]:
    """Lets refusals show lines of these files."""
    try:
        yield
    except Refused as refusal:
        refusal.sources = sources
        raise


def _show_stages(times: Sequence[StageTime], functions: Sequence[FunctionFacts]) -> None:
    from tensorrv.report.tables import show_table

    own = [(facts.kernel.name, time) for facts in functions for time in facts.kernel.times]
    rows = [(time.stage, "", f"{time.seconds * 1e3:.1f} ms") for time in times]
    rows += [(time.stage, name, f"{time.seconds * 1e3:.1f} ms") for name, time in own]
    show_table("stages", ("stage", "function", "time"), rows)


def _print_json(data: Mapping[str, Any]) -> None:
    import json

    print(json.dumps(data, indent=2), flush=True)


if __name__ == "__main__":
    sys.exit(main())
