"""The command line of `tensorrv-gen`: its options as a frozen value."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Never

from rv.target.machine import NAMED_TARGETS, BadDescription, Target, UnknownTarget, resolve_target
from tensorrv import __version__
from tensorrv.check.given.values import Constraints, parse_lengths, parse_ranges
from tensorrv.check.sizes import Sizes, parse_sizes
from tensorrv.cli.steps import ALL, STEPS
from tensorrv.frontend.shipped import INCLUDE
from tensorrv.report.diagnostics import Diagnostic
from tensorrv.schedule.plan import (
    FLOAT_MODES,
    MATH_MODES,
    SKIP_POLICIES,
    SPLIT_POLICIES,
    STORE_POLICIES,
    TAIL_POLICIES,
    THREAD_MODES,
    UNROLL_POLICIES,
    VECTORIZERS,
    Brush,
    Plan,
    PlanError,
    parse_array_layout,
    parse_brush,
    parse_order,
    parse_prefetch,
    parse_projection,
    parse_skew,
    parse_tile,
)

if TYPE_CHECKING:
    from tensorrv.cli.views import View

FORMS: Final = ("so", "obj", "asm", "llvm", "pllvm", "header", "dataflow")


_MACRO: Final = re.compile(r"[A-Za-z_]\w*\Z")


class UsageError(Exception):
    """The command line makes no sense."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


@dataclass(frozen=True, slots=True)
class Options:
    """The parsed command line. `brush` is None for `auto`; `plan` holds the other choices. `sizes` has one entry per --size."""

    kernel: str
    functions: tuple[str, ...]
    brush: Brush | None
    plan: Plan
    target: Target
    emit: tuple[str, ...]
    directory: Path
    verify: bool
    bench: bool
    sizes: tuple[Sizes, ...]
    small_sizes: bool
    data: Path | None
    constraints: Constraints
    explain: bool
    time_stages: bool
    print_after: tuple[str, ...]
    views: tuple[View, ...]
    defines: tuple[tuple[str, str], ...]
    include: tuple[Path, ...]
    cpp: str | None
    json: bool
    database: Path | None
    run: tuple[str, ...] | None


def parse_options(arguments: Sequence[str]) -> Options:
    """The options in `arguments`. Raises UsageError; SystemExit for --help and --version."""
    given = _parser().parse_args(arguments)
    try:
        if given.only_size and not given.size:
            raise PlanError("--only-size needs sizes", "give --size as well")
        if given.run is not None and (given.verify or given.bench or given.emit or given.length or given.range):
            raise PlanError("--run only runs the function", "give it alone, with --data and --function where they are needed")
        if (given.length or given.range or (given.data and given.run is None)) and not (given.verify or given.bench):
            raise PlanError("--data, --length and --range are about runs", "give --verify or --bench as well")
        brush = parse_brush(given.brush)
        return Options(
            kernel=given.kernel,
            functions=tuple(dict.fromkeys(given.function)),
            brush=brush,
            plan=_plan(given, brush),
            target=parse_target(given.target),
            emit=_emit(given),
            directory=Path(given.output),
            verify=given.verify,
            bench=given.bench,
            sizes=tuple(parse_sizes(text) for text in given.size),
            small_sizes=not given.only_size,
            data=Path(given.data) if given.data else None,
            constraints=parse_constraints(given),
            explain=given.explain,
            time_stages=given.time_stages,
            print_after=tuple(given.print_after),
            views=_views(given.view) if given.view else (),
            defines=tuple(map(parse_define, given.define)),
            include=tuple(map(Path, given.include)),
            cpp=given.cpp,
            json=given.json,
            database=Path(given.db) if given.db else None,
            run=None if given.run is None else tuple(map(_argument_word, given.run)),
        )
    except PlanError as error:
        raise UsageError(Diagnostic("error", "TRV080", str(error), hint=error.hint)) from error


def _argument_word(word: str) -> str:
    """`NAME=VALUE`. Raises PlanError."""
    if not re.match(r"[A-Za-z_]\w*=", word):
        raise PlanError(f"'{word}' is not an argument of a function", "--run takes NAME=VALUE, such as n=3 A=1,2,3 B=0*3")
    return word


def _plan(given: argparse.Namespace, brush: Brush | None) -> Plan:
    projection = None if given.projection is None else parse_projection(given.projection)
    if projection is not None and brush is None:
        raise PlanError("--projection needs a definite brush", "give --brush as well")
    return Plan(
        brush=brush or Brush(),
        projection=projection,
        fp=given.fp,
        math=given.math,
        tail=given.tail,
        boscc=given.boscc,
        stores=given.stores,
        prefetch=parse_prefetch(given.prefetch),
        assume_no_alias=given.assume_no_alias,
        strict_aliasing=not given.no_strict_aliasing,
        assume_parallel=tuple(given.assume_parallel),
        threads=given.threads,
        layouts=tuple(map(parse_array_layout, given.layout)),
        order=parse_order(given.order),
        tile=parse_tile(given.tile),
        fuse=given.fuse,
        split=given.split,
        vectorizer=given.vectorizer,
        skew=parse_skew(given.skew),
        unroll=given.unroll,
    )


def parse_constraints(given: argparse.Namespace) -> Constraints:
    """What --length and --range give. Raises PlanError."""
    return Constraints(parse_lengths(given.length), parse_ranges(given.range))


def add_data_options(group: argparse._ArgumentGroup) -> None:
    """The options of both commands about what functions are run on."""
    group.add_argument("--data", metavar="FILE.npz|FILE.py",
                       help="run on these arguments by name, or on those that arguments() of a Python file returns")  # fmt: skip
    group.add_argument("--length", action="append", default=[], metavar="idx=nnz,...",
                       help="elements of arrays that are invented, in integer parameters (repeatable)")  # fmt: skip
    group.add_argument("--range", action="append", default=[], metavar="idx=0:n,...",
                       help="the numbers to invent for arrays, members (tree.left) and scalars (repeatable)")  # fmt: skip


def parse_target(name: str) -> Target:
    try:
        return resolve_target(name)
    except UnknownTarget as error:
        close = f"did you mean {' or '.join(error.close)}? " if error.close else ""
        hint = f"{close}targets are {', '.join(NAMED_TARGETS)} and LLVM's names of x86-64 and AArch64 processors"
        raise UsageError(Diagnostic("error", "TRV083", str(error), hint=hint)) from error
    except BadDescription as error:
        raise UsageError(Diagnostic("error", "TRV083", str(error), hint="see docs/machines.md")) from error


def parse_define(text: str) -> tuple[str, str]:
    """The macro and its value in `NAME=VALUE` or `NAME` (which is 1)."""
    name, equals, value = text.partition("=")
    if not _MACRO.match(name):
        raise PlanError(f"'-D {text}' does not define a macro", "write -D NAME or -D NAME=VALUE")
    return name, value if equals else "1"


def _views(text: str) -> tuple[View, ...]:
    from tensorrv.cli.views import parse_views

    return parse_views(text)


def _emit(given: argparse.Namespace) -> tuple[str, ...]:
    """The forms to write; without --emit, a shared library, unless only reports are requested."""
    reports = given.verify or given.bench or given.explain or given.time_stages or given.print_after or given.view
    if given.emit is None:
        return () if reports else ("so",)
    forms = tuple(dict.fromkeys(given.emit.split(",")))
    for form in forms:
        if form not in FORMS:
            raise PlanError(f"'{form}' is not a form of output", f"--emit takes {', '.join(FORMS)}, separated by commas")
    return forms


class CommandParser(argparse.ArgumentParser):
    """Raises UsageError where argparse would end the program."""

    def error(self, message: str) -> Never:
        raise UsageError(Diagnostic("error", "TRV080", message, hint=f"{self.prog} --help lists the options"))


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="tensorrv-gen",
        description="Compile the loop nests of a C file to SIMD code that works on a brush of iterations at once.",
        epilog="Exit status: 0 done; 1 the input was refused; 2 bad usage; 3 verification found a difference.",
        allow_abbrev=False,
    )
    parser.add_argument("kernel", metavar="KERNEL", help="a C file, or the name of a shipped kernel such as jacobi5")
    parser.add_argument("--version", action="version", version=f"tensorrv-gen {__version__}", help="show the version")
    parser.add_argument("--include-dir", action=_ShowInclude, nargs=0, help="show the directory of rv.h, for other compilers")
    what = parser.add_argument_group("what to compile")
    what.add_argument("--function", action="append", default=[], metavar="F", help="only this function (repeatable)")
    what.add_argument("-D", dest="define", action="append", default=[], metavar="NAME[=VALUE]", help="define a macro")
    what.add_argument("-I", dest="include", action="append", default=[], metavar="DIR", help="search DIR for headers")
    what.add_argument("--cpp", metavar="COMMAND", help="preprocess with COMMAND -E and its headers, such as gcc")
    how = parser.add_argument_group("how to compile it")
    how.add_argument("--brush", default="auto", metavar="4x8|j=4,i=8|auto|none", help="iterations per loop (default: auto)")
    how.add_argument("--order", default="", metavar="k,i,j", help="loops in the order in which they run, outermost first")
    how.add_argument("--tile", default="none", metavar="j=64,i=512|64x512|none",
                     help="blocks of iterations around the brush (default: none)")  # fmt: skip
    how.add_argument("--skew", default="none", metavar="i+j|i+2*j|none",
                     help="wavefronts of a loop along others, or with --tile tiles along a slope (default: none)")  # fmt: skip
    how.add_argument("--fuse", action="store_true", help="run neighbouring loops with equal bounds as one")
    how.add_argument("--split", default="auto", choices=SPLIT_POLICIES,
                     help="loops in pieces in which conditions on the iteration are decided (default: auto)")  # fmt: skip
    how.add_argument("--unroll", default="auto", choices=UNROLL_POLICIES,
                     help="inner loops with few constant iterations as straight code (default: auto)")  # fmt: skip
    how.add_argument("--projection", metavar="1,0", help="dimensions of the brush, fastest lane first")
    how.add_argument("--layout", action="append", default=[], metavar="A=2x2", help="how array A is stored (repeatable)")
    how.add_argument("--target", default="native", metavar="T",
                     help="native, avx512, avx2, neon, an LLVM cpu name or a .toml file that describes a core")  # fmt: skip
    how.add_argument("--fp", default="strict", choices=FLOAT_MODES, help="floating-point mode (default: strict, bit-identical)")
    how.add_argument("--math", default="libm", choices=MATH_MODES,
                     help="libm's results, or vector functions of at most 2 ULP, as with --fp fast (default: libm)")  # fmt: skip
    how.add_argument("--tail", default="auto", choices=TAIL_POLICIES, help="how the remainders of loops run")
    how.add_argument("--threads", default="none", choices=THREAD_MODES, help="openmp: divide parallel loops among threads")
    how.add_argument("--boscc", default="auto", choices=SKIP_POLICIES,
                     help="code under conditions to skip when no lane is active: expensive code, none, or all")  # fmt: skip
    how.add_argument("--stores", default="cached", choices=STORE_POLICIES,
                     help="stream: write around the caches, for results larger than the caches (default: cached)")  # fmt: skip
    how.add_argument("--prefetch", default="0", metavar="N",
                     help="prefetch loads N brushes ahead, for arrays larger than the caches (default: 0)")  # fmt: skip
    how.add_argument("--vectorizer", default="none", choices=VECTORIZERS,
                     help="llvm: leave loops without a brush to LLVM's loop vectorizer (default: none)")  # fmt: skip
    how.add_argument("--assume-no-alias", action="store_true", help="no two arrays overlap: no run-time check")
    how.add_argument("--no-strict-aliasing", action="store_true", help="memory may be read as another type than it was written")
    how.add_argument("--assume-parallel", action="append", default=[], metavar="LOOP", help="LOOP's iterations are independent")
    how.add_argument("--db", metavar="FILE", help="results of tensorrv-tune for auto (default: in the user's data directory)")
    output = parser.add_argument_group("what to write")
    output.add_argument("--emit", metavar="FORMS", help=f"a list of {','.join(FORMS)} (default: so)")
    output.add_argument("-o", dest="output", default=".", metavar="DIR", help="directory for outputs (default: the current one)")
    reports = parser.add_argument_group("what to report")
    reports.add_argument("--verify", action="store_true", help="compare with the scalar code bit for bit")
    reports.add_argument("--bench", action="store_true", help="measure scalar code, inner-loop vectorization, the brush, and gcc")
    reports.add_argument("--size", action="append", default=[], metavar="rows=1026,...", help="sizes to run with (repeatable)")
    reports.add_argument("--only-size", action="store_true", help="verify at the sizes of --size only, not at small ones as well")
    add_data_options(reports)
    reports.add_argument("--run", nargs="*", metavar="NAME=VALUE",
                         help="only run the function, by the interpreter: n=3 A=1,2,3 B=0*3, or --data")  # fmt: skip
    reports.add_argument("--explain", action="store_true", help="show loops, shapes, access groups and chunks")
    reports.add_argument("--time-stages", action="store_true", help="show how long each stage took")
    reports.add_argument("--print-after", action="append", default=[], choices=(*STEPS, ALL), metavar="STEP",
                         help=f"print the code after a step: {', '.join(STEPS)}; or after all that change it: {ALL}")  # fmt: skip
    reports.add_argument("--view", metavar="PICTURES",
                         help="write pictures of the control flow, such as cfg,dom.svg (Graphviz's text, or drawn)")  # fmt: skip
    reports.add_argument("--json", action="store_true", help="print one JSON document instead of tables")
    return parser


class _ShowInclude(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(INCLUDE)
        parser.exit()
