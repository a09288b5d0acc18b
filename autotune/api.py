"""`trv.tune`: tuning from Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from operator import index
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from autotune.measure.known_machine import known_machine
from autotune.options import parse_seconds
from autotune.report.progress import ProgressBar
from autotune.search.effort import Effort
from autotune.search.source import only_function
from autotune.search.strategies import Guided, exhaustive
from autotune.search.tune import Request, Tuning, local_workers, make_subject, tune_function
from autotune.space import Axes, default_brushes, default_splits, default_unrolls, layouts_of
from autotune.store.database import Database
from rv.internal_error import bugs_reported
from rv.ir.types import FloatMode
from rv.widen.policies import TailPolicy
from tensorrv.api.carry_out import findings_in_tracebacks, target_called
from tensorrv.api.compiled import (
    BrushLike,
    CompiledKernel,
    Source,
    parse_brush_like,
    parse_order_like,
    parse_skew_like,
    parse_tile_like,
    source_of,
)
from tensorrv.check.given.fitting import check_names, fit
from tensorrv.check.given.values import Constraints, parse_lengths, parse_ranges
from tensorrv.frontend.read import read_module
from tensorrv.interface.facts import interface_of
from tensorrv.report.diagnostics import Refused
from tensorrv.run.call import positions
from tensorrv.run.tuner import tuning_database
from tensorrv.schedule.plan import MathMode, Plan, PlanError, SplitPolicy, StorePolicy, UnrollPolicy
from tensorrv.unit.callable_units import opened_module
from tensorrv.unit.unit import Unit


def tune(
    source: Source | CompiledKernel,
    arguments: Sequence[Any] | Mapping[str, Any] = (),
    *,
    lengths: Mapping[str, str | int] | None = None,
    ranges: Mapping[str, str] | None = None,
    sizes: Mapping[str, int] | None = None,
    function: str | None = None,
    brushes: Iterable[BrushLike] = (),
    projections: Literal["all", "default"] = "all",
    registers: Iterable[int] = (0,),
    tails: Iterable[TailPolicy] = ("auto",),
    stores: Iterable[StorePolicy] = ("cached",),
    prefetches: Iterable[int] = (0,),
    threads: Iterable[int] = (1,),
    layouts: str | Iterable[str] = ("row",),
    orders: Iterable[str | Iterable[str]] = ((),),
    tiles: Iterable[BrushLike] = (None,),
    fusions: Iterable[bool] = (False,),
    splits: Iterable[SplitPolicy] = (),
    skews: Iterable[str] = ("none",),
    unrolls: Iterable[UnrollPolicy] = (),
    target: str = "native",
    fp: FloatMode = "strict",
    math: MathMode = "libm",
    assume_no_alias: bool = False,
    strict_aliasing: bool = True,
    assume_parallel: Iterable[str] = (),
    defines: Mapping[str, Any] | None = None,
    include_dirs: Iterable[str | PathLike[str]] = (),
    cpp: str | None = None,
    search: Literal["exhaustive", "guided"] = "exhaustive",
    budget: float | str = 60.0,
    database: str | PathLike[str] | None = None,
    executor: Executor | None = None,
    parallel: int = 1,
    progress: bool = False,
) -> Tuning:
    """Finds the fastest plan for one function of a C file, a shipped kernel, C text or formulas, as `tensorrv-tune` does.

    `arguments` are what calls would pass, in order or by name: plans are run on copies of them. What is not given is invented;
    `lengths` (`{"idx": "nnz"}`) and `ranges` (`{"idx": "0:n"}`) are for that what `--length` and `--range` are. A kernel of
    `trv.compile` is tuned under its own `fp`, `math` and assumptions.
    `sizes` are values of integer parameters (others are made large), `budget` is in seconds or a text such as `"5m"`. Without
    `brushes` powers of two that suit the kernel are tried. `layouts` such as `"2x2"` are for all arrays, `"row 2x2"` are two.
    `orders`, `tiles`, `fusions`, `skews`, `splits` and `unrolls` are what `trv.compile` takes as `order`, `tile`, `fuse`, `skew`,
    `split` and `unroll`; without the last two both forms of kernels that have them are measured.
    `executor` runs the jobs, `parallel` of them at once; the default is one local process.
    `result.plan` is the best plan and `result.compile()` the kernel under it; `trv.compile(..., brush="auto")` finds it in the
    database from then on. Raises Refused when the source is refused or nothing could be measured, ValueError for options
    that make no sense.
    """
    chosen = target_called(target)
    numbers = _integers({} if sizes is None else sizes)
    constraints = Constraints(
        parse_lengths([f"{name}={length}" for name, length in (lengths or {}).items()]),
        parse_ranges([f"{name}={text}" for name, text in (ranges or {}).items()]),
    )
    if isinstance(source, CompiledKernel):
        tuned = source.kernel.source
    else:
        with findings_in_tracebacks():
            path, content = source_of(source)
        with bugs_reported(Refused, OSError), findings_in_tracebacks():
            macros = [(name, str(value)) for name, value in (defines or {}).items()]
            module = read_module(path, text=content, defines=macros, include_dirs=list(map(Path, include_dirs)), cpp=cpp)
            tuned = only_function(opened_module(module), function)
    assumptions = (assume_parallel,) if isinstance(assume_parallel, str) else tuple(assume_parallel)
    base = Plan(
        fp=fp, math=math, assume_no_alias=assume_no_alias, strict_aliasing=strict_aliasing, assume_parallel=assumptions
    )
    if isinstance(source, CompiledKernel):
        own = source.plan
        base = Plan(
            fp=own.fp, math=own.math, assume_no_alias=own.assume_no_alias, strict_aliasing=own.strict_aliasing,
            assume_parallel=own.assume_parallel,
        )  # fmt: skip
    given = tuple(brush for one in brushes if (brush := parse_brush_like(one)) is not None)
    axes = Axes(
        given or default_brushes(tuned, chosen), base, projections == "all", tuple(registers), tuple(tails), tuple(stores),
        tuple(prefetches), tuple(threads),
        tuple(layouts_of(tuned, text) for text in (layouts.split() if isinstance(layouts, str) else layouts)),
        tuple(map(parse_order_like, orders)), tuple(map(parse_tile_like, tiles)), tuple(fusions),
        tuple(splits) or default_splits(tuned),
        tuple(map(parse_skew_like, skews)), tuple(unrolls) or default_unrolls(tuned),
    )  # fmt: skip
    if search not in ("exhaustive", "guided"):
        raise PlanError(f"'{search}' is not a search", "choose exhaustive or guided")
    results = Database(Path(database) if database is not None else tuning_database())
    strategy = exhaustive if search == "exhaustive" else Guided(known_machine(results, chosen))
    seconds = parse_seconds(budget) if isinstance(budget, str) else budget
    with findings_in_tracebacks():
        named = _by_name(tuned, arguments)
        check_names((tuned,), [*named, *constraints.lengths, *constraints.ranges])
        own_data = fit(tuned, named, constraints, numbers)
    request = Request(make_subject(tuned, target, numbers, own_data), axes, Effort(budget=seconds), strategy)
    with bugs_reported(Refused, OSError), local_workers(executor, parallel) as workers:
        if not progress:
            return tune_function(request, workers, results)
        with ProgressBar(tuned.name) as bar:
            return tune_function(request, workers, results, bar)


def _by_name(function: Unit, arguments: Sequence[Any] | Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments by name. Raises TypeError where they are too many."""
    if isinstance(arguments, Mapping):
        return arguments
    places = positions(interface_of(function).signature, arguments, ())
    return {name: arguments[place] for name, place in places.items()}


def _integers(sizes: Mapping[str, int]) -> Mapping[str, int]:
    try:
        if isinstance(sizes, Mapping):
            return {name: index(size) for name, size in sizes.items()}
    except TypeError:
        pass
    raise TypeError(f"sizes is a dictionary of integers, such as {{'rows': 1026}}, not {sizes!r}")
