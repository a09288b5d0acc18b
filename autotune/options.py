"""The command line of `tensorrv-tune`: its options as a frozen value."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from autotune.search.effort import Effort
from autotune.space import THREADS
from rv.target.machine import Target
from rv.widen.policies import TailPolicy
from tensorrv import __version__
from tensorrv.check.given.values import Constraints
from tensorrv.check.sizes import Sizes, parse_sizes
from tensorrv.cli.options import CommandParser, UsageError, add_data_options, parse_constraints, parse_define, parse_target
from tensorrv.report.diagnostics import Diagnostic
from tensorrv.schedule.plan import (
    FLOAT_MODES,
    MATH_MODES,
    REGISTER_BITS,
    SPLIT_POLICIES,
    STORE_POLICIES,
    TAIL_POLICIES,
    UNROLL_POLICIES,
    Brush,
    Plan,
    PlanError,
    Skew,
    SplitPolicy,
    StorePolicy,
    Tile,
    UnrollPolicy,
    parse_brush,
    parse_order,
    parse_prefetch,
    parse_skew,
    parse_tile,
)

SEARCHES: Final = ("exhaustive", "guided")
_SECONDS: Final = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "": 1.0}
P = TypeVar("P", bound=str)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TuneOptions:
    """The request of a command line.

    `kernel` is None when results are only exported or imported; without `brushes` those that suit the kernel are tried.
    """

    kernel: str | None
    function: str | None
    sizes: Sizes
    data: Path | None
    constraints: Constraints
    brushes: tuple[Brush, ...]
    every_projection: bool
    registers: tuple[int, ...]
    tails: tuple[TailPolicy, ...]
    stores: tuple[StorePolicy, ...]
    prefetches: tuple[int, ...]
    threads: tuple[int, ...]
    layouts: tuple[str, ...]
    orders: tuple[tuple[str, ...], ...]
    tiles: tuple[Tile, ...]
    fusions: tuple[bool, ...]
    splits: tuple[SplitPolicy, ...]
    skews: tuple[tuple[Skew, ...], ...]
    unrolls: tuple[UnrollPolicy, ...]
    base: Plan
    target: Target
    search: str
    effort: Effort
    database: Path | None
    fresh: bool
    csv: Path | None
    plot: Path | None
    html: Path | None
    json: bool
    machine: Path | None
    export: Path | None
    load: Path | None
    defines: tuple[tuple[str, str], ...]
    include: tuple[Path, ...]
    cpp: str | None


def parse_tune_options(arguments: Sequence[str]) -> TuneOptions:
    """The options in `arguments`. Raises UsageError; SystemExit for --help and --version."""
    given = _parser().parse_args(arguments)
    try:
        if given.kernel is None and not (given.export or given.load or given.machine):
            raise PlanError("no kernel is given", "name a C file or a shipped kernel, or use --machine, --export or --import")
        return TuneOptions(
            kernel=given.kernel,
            function=given.function,
            sizes=parse_sizes(given.size) if given.size else {},
            data=_path(given.data),
            constraints=parse_constraints(given),
            brushes=_list(given.brushes, _brush) if given.brushes else (),
            every_projection=given.projections == "all",
            registers=_list(given.registers, lambda text: _number("register width", text, REGISTER_BITS)),
            tails=_list(given.tails, lambda text: _policy("tail", "--tails", text, TAIL_POLICIES)),
            stores=_list(given.stores, lambda text: _policy("store", "--stores", text, STORE_POLICIES)),
            prefetches=_list(given.prefetches, parse_prefetch),
            threads=_list(given.threads, lambda text: _number("number of threads", text, THREADS)),
            layouts=tuple(dict.fromkeys(given.layouts.split())),
            orders=tuple(dict.fromkeys(parse_order("" if text == "source" else text) for text in given.orders.split())),
            tiles=tuple(dict.fromkeys(map(parse_tile, given.tiles.split()))),
            skews=tuple(dict.fromkeys(map(parse_skew, given.skews.split()))),
            fusions=_list(given.fuse, lambda text: _policy("fusion", "--fuse", text, ("no", "yes")) == "yes"),
            splits=_choices(given.split, "split", SPLIT_POLICIES),
            unrolls=_choices(given.unroll, "unroll", UNROLL_POLICIES),
            base=_base(given),
            target=parse_target(given.target),
            search=given.search,
            effort=_effort(given),
            database=Path(given.db) if given.db else None,
            fresh=given.fresh,
            csv=_path(given.csv),
            plot=_path(given.plot),
            html=_path(given.html),
            json=given.json,
            machine=_path(given.machine),
            export=_path(given.export),
            load=_path(given.load),
            defines=tuple(map(parse_define, given.define)),
            include=tuple(map(Path, given.include)),
            cpp=given.cpp,
        )
    except PlanError as error:
        raise UsageError(Diagnostic("error", "TRV080", str(error), hint=error.hint)) from error


def _base(given: argparse.Namespace) -> Plan:
    return Plan(
        fp=given.fp,
        math=given.math,
        assume_no_alias=given.assume_no_alias,
        strict_aliasing=not given.no_strict_aliasing,
        assume_parallel=tuple(given.assume_parallel),
    )


def _effort(given: argparse.Namespace) -> Effort:
    rounds = int(_number("number of rounds", given.rounds, range(1, 10_001)))
    return Effort(budget=parse_seconds(given.budget), least=rounds, most=max(rounds, Effort().most))


def _list(text: str, parse: Callable[[str], T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(parse(part) for part in text.split(",")))


def _brush(text: str) -> Brush:
    brush = parse_brush(text)
    if brush is None or not brush.rank:
        raise PlanError(f"'{text}' is not a brush to try", "--brushes takes sizes such as 4x8,8x8")
    return brush


def _choices(text: str | None, what: str, allowed: tuple[P, ...]) -> tuple[P, ...]:
    """The policies that are listed; none where there is no list."""
    return _list(text, lambda one: _policy(what, f"--{what}", one, allowed)) if text else ()


def _policy(what: str, option: str, text: str, allowed: tuple[P, ...]) -> P:
    for policy in allowed:
        if policy == text:
            return policy
    raise PlanError(f"'{text}' is not a {what} policy", f"{option} takes {', '.join(allowed)}, separated by commas")


def _number(what: str, text: str, allowed: Sequence[int]) -> int:
    if text.isascii() and text.isdigit() and int(text) in allowed:
        return int(text)
    choices = f"{allowed[0]} to {allowed[-1]}" if isinstance(allowed, range) else ", ".join(map(str, allowed))
    raise PlanError(f"'{text}' is not a {what}", f"choose from {choices}")


def parse_seconds(text: str) -> float:
    """The seconds in `60`, `90s`, `5m` or `1h`. Raises PlanError."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([a-z]*)", text)
    if found is None or found[2] not in _SECONDS or not float(found[1]):
        raise PlanError(f"'{text}' is not a time", "write seconds, or a number with s, m or h, such as 5m")
    return float(found[1]) * _SECONDS[found[2]]


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="tensorrv-tune",
        description="Find the fastest brush for a kernel on this machine by measuring.",
        epilog="Exit status: 0 done; 1 the input was refused; 2 bad usage; 3 a plan gave different results.",
        allow_abbrev=False,
    )
    parser.add_argument("kernel", metavar="KERNEL", nargs="?", help="a C file, or the name of a shipped kernel such as jacobi5")
    what = parser.add_argument_group("what to tune")
    what.add_argument("--function", metavar="F", help="the function, if the file has several")
    what.add_argument("--size", metavar="rows=1026,...", help="values of integer parameters (default: large)")
    add_data_options(what)
    what.add_argument("--target", default="native", metavar="T", help="the target; its code has to run here")
    what.add_argument("-D", dest="define", action="append", default=[], metavar="NAME[=VALUE]", help="define a macro")
    what.add_argument("-I", dest="include", action="append", default=[], metavar="DIR", help="search DIR for headers")
    what.add_argument("--cpp", metavar="COMMAND", help="preprocess with COMMAND -E and its headers, such as gcc")
    space = parser.add_argument_group("the space")
    space.add_argument("--brushes", metavar="4x8,8x8,...", help="brushes to try (default: powers of two that suit the kernel)")
    space.add_argument("--projections", default="all", choices=("all", "default"), help="orders of lanes to try (default: all)")
    space.add_argument("--registers", default="0", metavar="256,512", help="register widths in bits (default: 0, the full width)")
    space.add_argument("--stores", default="cached", metavar="cached,stream", help="store policies to try (default: cached)")
    space.add_argument("--prefetches", default="0", metavar="0,2",
                       help="prefetch distances to try, in brushes (default: 0)")  # fmt: skip
    space.add_argument("--tails", default="auto", metavar="auto,mask,...", help="tail policies to try (default: auto)")
    space.add_argument("--threads", default="1", metavar="1,2", help="numbers of threads to try (default: 1)")
    space.add_argument("--layouts", default="row", metavar="'row 2x2'",
                       help="layouts to try, separated by spaces: for all arrays, or A=2x2;B=row (default: row)")  # fmt: skip
    space.add_argument("--orders", default="source", metavar="'source k,i,j'",
                       help="orders of loops to try, separated by spaces (default: source)")  # fmt: skip
    space.add_argument("--tiles", default="none", metavar="'none j=64,i=512'",
                       help="tiles to try, separated by spaces (default: none)")  # fmt: skip
    space.add_argument("--skews", default="none", metavar="'none i+j'", help="slopes of loops to try (default: none)")
    space.add_argument("--fuse", default="no", metavar="no,yes", help="whether to fuse neighbouring loops (default: no)")
    space.add_argument("--split", metavar="none,all",
                       help="whether to divide loops so that conditions on iterations are decided (default: both)")  # fmt: skip
    space.add_argument("--unroll", metavar="none,all",
                       help="whether inner loops with few constant iterations are unrolled (default: both)")  # fmt: skip
    space.add_argument("--math", default="libm", choices=MATH_MODES, help="libm's results, or vector functions")
    space.add_argument("--fp", default="strict", choices=FLOAT_MODES, help="floating-point mode (default: strict)")
    space.add_argument("--assume-no-alias", action="store_true", help="no two arrays overlap: no run-time check")
    space.add_argument("--no-strict-aliasing", action="store_true", help="memory may be read as another type than it was written")
    space.add_argument("--assume-parallel", action="append", default=[], metavar="LOOP", help="LOOP's iterations are independent")
    search = parser.add_argument_group("the search")
    search.add_argument("--search", default="exhaustive", choices=SEARCHES, help="measure all plans, or those a model picks")
    search.add_argument("--budget", default="60s", metavar="60s", help="time for everything (default: 60s)")
    search.add_argument("--rounds", default="3", metavar="N", help="rounds that every plan gets at least (default: 3)")
    search.add_argument("--db", metavar="FILE", help="database of results (default: in the user's data directory)")
    search.add_argument("--fresh", action="store_true", help="forget what was measured before")
    output = parser.add_argument_group("what to report")
    output.add_argument("--csv", metavar="FILE", help="write all results as a table (-: to standard output)")
    output.add_argument("--plot", metavar="FILE.png", help="draw the heat map and the scatter plots (needs matplotlib)")
    output.add_argument("--html", metavar="FILE.html", help="write one page with everything")
    output.add_argument("--json", action="store_true", help="print one JSON document instead of tables")
    data = parser.add_argument_group("the database")
    data.add_argument("--machine", metavar="FILE.toml", help="measure this machine and describe its core there, for --target")
    data.add_argument("--export", metavar="FILE", help="write every result as a line of JSON (-: to standard output)")
    data.add_argument("--import", dest="load", metavar="FILE", help="add exported results")
    parser.add_argument("--version", action="version", version=f"tensorrv-tune {__version__}", help="show the version")
    return parser
