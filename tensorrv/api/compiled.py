"""Compiled kernels as Python callables."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from inspect import Parameter, Signature
from operator import index
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rv.ir.types import FloatMode
from rv.target.process_forks import loading
from rv.widen.policies import SkipPolicy, TailPolicy
from tensorrv.api.formula_kernel import FormulaKernel, statement_at
from tensorrv.frontend.shipped import find_kernel
from tensorrv.pipeline.native import in_one_process, native_function
from tensorrv.run.cache.entries import Entry
from tensorrv.run.cache.kernels import find_kernel_entry, store_kernel
from tensorrv.run.call import bind
from tensorrv.run.kernel_facts import KernelFacts, facts_of, prototype_of
from tensorrv.run.order import Order
from tensorrv.run.repeated import Caller
from tensorrv.schedule.plan import (
    Brush,
    MathMode,
    Plan,
    PlanError,
    Skew,
    SplitPolicy,
    StorePolicy,
    ThreadMode,
    Tile,
    UnrollPolicy,
    Vectorizer,
    parse_brush,
    parse_order,
    parse_skew,
    parse_tile,
)

if TYPE_CHECKING:
    from layouts.layout import Layout
    from tensorrv.api.carry_out import Made
    from tensorrv.api.picture import Picture
    from tensorrv.pipeline.kernel import Kernel
    from tensorrv.report.diagnostics import Diagnostic

Source = str | PathLike[str] | FormulaKernel
FORMULA: Final = "<formula>"
"""The file's name of formulas."""
BrushLike = str | int | Iterable[int] | Mapping[str, int] | None


class CompiledKernel:
    """One compiled C function. Call it with NumPy arrays; see `tensorrv.run.call` for what is checked and inferred.

    Raises RuntimeError when it is called but its target's code does not run on this machine. May be called from several threads
    at once (the interpreter lock is released), and pickled: the copy is compiled where it is loaded.
    """

    def __init__(
        self, kernel: Kernel | None, order: Order | None = None, entry: Entry | None = None, files: Sequence[str] = ()
    ) -> None:
        """A kernel that has been compiled from `files`, or one that `entry` has from an earlier run of `order`."""
        self._compiled = kernel
        self._order = order
        self._entry = entry
        self._files = files
        self._known: KernelFacts | None = None if entry is None else entry.facts
        self._caller: Caller | None = None
        self._library: ctypes.CDLL | None = None
        lengths = "Arrays are NumPy arrays; lengths that arrays declare follow from their shapes."
        self.__doc__ = f"{self._prototype}\n\n{lengths}"
        self.__signature__ = self._call_signature()

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Runs the kernel and gives what the C function returns. Raises TypeError or ValueError that names the argument."""
        # no lock: threads may make it at the same time, and a lock that another thread holds would stay locked after a fork
        return (self._caller or self._make_caller())(arguments, named)

    @property
    def kernel(self) -> Kernel:
        """The kernel with everything that its compilation found out."""
        if self._compiled is None:
            assert self._order is not None
            self._compiled = made_of(self._order).kernel
        return self._compiled

    @property
    def name(self) -> str:
        return self._facts.signature.name

    @property
    def plan(self) -> Plan:
        return self._facts.plan

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Warnings: nests that stay scalar, and why."""
        return self._facts.diagnostics

    @property
    def assembly(self) -> str:
        return self.kernel.module.assembly

    @property
    def llvm(self) -> str:
        """The optimized LLVM IR."""
        return self.kernel.module.ir

    @property
    def header(self) -> str:
        """The text of a C header that declares the function."""
        from tensorrv.pipeline.header import header_text

        kernel = self.kernel
        return header_text(kernel.source, kernel.target.label, kernel.storages, openmp=kernel.plan.threads == "openmp")

    def explain(self) -> None:
        """Prints the loops, the shapes of values, access groups and chunks, as `tensorrv-gen --explain` does."""
        from rv.internal_error import bugs_reported
        from tensorrv.pipeline.explain.nests import explain_kernel
        from tensorrv.pipeline.explain.text import explanation_text
        from tensorrv.pipeline.layout_cost import layout_cost, layout_cost_text
        from tensorrv.report.diagnostics import Refused

        with bugs_reported(Refused, OSError):
            if str(self.kernel.math):
                print(f"{self.name}: {self.kernel.math}")
            print(explanation_text(self.name, explain_kernel(self.kernel)))
            cost = layout_cost(self.kernel)
            if cost is not None:
                print("\n".join(layout_cost_text(self.name, cost)))

    def write(
        self, directory: str | PathLike[str] = ".", forms: str | Iterable[str] = ("so", "obj", "header")
    ) -> tuple[Path, ...]:
        """Writes files as `tensorrv-gen --emit` does and gives their paths. Raises Refused, or ValueError for an unknown form."""
        from rv.internal_error import bugs_reported
        from tensorrv.pipeline.forms import SUFFIXES, render_forms
        from tensorrv.report.diagnostics import Refused
        from tensorrv.report.output import write_files

        chosen = forms.split(",") if isinstance(forms, str) else list(forms)
        for form in chosen:
            if form not in SUFFIXES:
                raise ValueError(f"'{form}' is not one of {', '.join(SUFFIXES)}")
        with bugs_reported(Refused, OSError):
            return write_files(Path(directory), render_forms(self.kernel, chosen))

    def run(
        self, steps: int, *arguments: Any, swap: Iterable[str] | Iterable[Iterable[str]] | None = None, **named: Any
    ) -> dict[str, Any]:
        """Calls the kernel `steps` times; after each call arrays take each other's place. Gives them by what they are at the end.

        `swap=("A", "B")` exchanges two, `("old", "u", "new")` lets `old` be what was `u`, `u` what was `new`, and `new` what was
        `old`; several such cycles are possible. Without it, the array that is only read and the one that is only written are
        exchanged. Raises what calls raise, and ValueError for cycles that cannot be.

            u = step.run(1000, A, B)["A"]
        """
        with loading("steps"):
            from tensorrv.run.stepping import run_steps

        return run_steps(self._facts.signature, self._caller or self._make_caller(), steps, arguments, named, swap)

    def plot(self) -> Picture:
        """The footprints of the brush in every array, as a picture that notebooks show and `save` writes."""
        from rv.internal_error import bugs_reported
        from tensorrv.api.picture import picture_of
        from tensorrv.report.diagnostics import Refused

        with bugs_reported(Refused, OSError):
            return picture_of(self.kernel, f"{self._prototype} {self.plan}")

    def _repr_html_(self) -> str:
        return self.plot().html

    def __repr__(self) -> str:
        return f"<kernel {self._prototype} {self.plan} target={self._facts.target}>"

    def __reduce__(self) -> tuple[Any, ...]:
        with loading("pickling"):
            from tensorrv.api.carry_out import by_itself

        if self._order is None:
            raise TypeError(f"kernel '{self.name}' was not made by trv.compile and cannot be pickled")
        return _ordered, (by_itself(self._order),)

    def _call_signature(self) -> Signature:
        """The arguments of calls: arrays that are only written, and lengths that follow from shapes, may be left out."""
        names, inferred, outputs = self._arguments()
        needed = [name for name in names if name not in inferred | outputs]
        by_position = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in needed]
        by_position += [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=None) for name in names if name in outputs]
        by_name = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in names if name in inferred]
        return Signature((*by_position, *by_name))

    def _arguments(self) -> tuple[list[str], frozenset[str], frozenset[str]]:
        """The names of all arguments, of those that follow from shapes, and of arrays that are only written."""
        if self._compiled is None:
            signature = self._facts.signature
            outputs = frozenset(array.name for array in signature.arrays if array.written and not array.read)
            return [argument.name for argument in signature.arguments], signature.declared_names, outputs
        from tensorrv.interface.array_uses import read_arrays, written_arrays

        source = self._compiled.source
        inferred = frozenset(s.name for p in source.parameters for e in p.extents if e is not None for s in e.symbols)
        outputs = written_arrays(source.function) - read_arrays(source.function)
        return [parameter.name for parameter in source.parameters], inferred, outputs

    @property
    def _prototype(self) -> str:
        """The C signature, without the facts that only calls need."""
        return self._facts.prototype if self._compiled is None else prototype_of(self._compiled)

    @property
    def _facts(self) -> KernelFacts:
        if self._known is None:
            self._known = facts_of(self.kernel)
        return self._known

    def _make_caller(self) -> Caller:
        facts = self._facts
        no_alias = facts.plan.assume_no_alias
        # no cycle through the kernel, whose machine code is freed in order
        order = self._order
        options: dict[str, Any] = {"no_alias": no_alias, "check": order is None or order.check, "storages": facts.storages}
        if order is not None and order.path == FORMULA:
            options["place"] = partial(statement_at, order.text or "")

        def checked(arguments: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
            try:
                return bind(facts.signature, arguments, named, facts.reaches, **options)
            except (TypeError, ValueError, MemoryError):
                raise
            except Exception as error:
                from rv.internal_error import internal_error

                raise internal_error(error) from error

        native = native_function(facts.signature, self._address())
        if facts.plan.threads == "openmp":
            native = in_one_process(native)
        caller = Caller(facts.signature, native, checked, no_alias=no_alias)
        self._caller = caller
        return caller

    def _address(self) -> int:
        """Where the machine code is: in the library of an earlier run, or compiled now and stored for later ones."""
        if self._entry is not None:
            try:
                self._library = ctypes.CDLL(str(self._entry.library))
                return ctypes.cast(self._library[self.name], ctypes.c_void_p).value or 0
            except (OSError, AttributeError):
                pass  # the cache was cleared in between
        # the code lives as long as the module, which the kernel holds
        address = self.kernel.module.jit().address(self.name)
        if self._order is not None:
            store_kernel(self._order, self.kernel, self._facts, self._files)
        return address


def compile(
    source: Source,
    *,
    function: str | None = None,
    brush: BrushLike = "auto",
    order: str | Iterable[str] = (),
    tile: BrushLike = None,
    skew: str | Iterable[str] = (),
    fuse: bool = False,
    split: SplitPolicy = "auto",
    unroll: UnrollPolicy = "auto",
    projection: Iterable[int] | None = None,
    layouts: Mapping[str, Layout | str] | None = None,
    target: str = "native",
    fp: FloatMode = "strict",
    math: MathMode = "libm",
    tail: TailPolicy = "auto",
    threads: ThreadMode = "none",
    boscc: SkipPolicy = "auto",
    stores: StorePolicy = "cached",
    prefetch: int = 0,
    vectorizer: Vectorizer = "none",
    assume_no_alias: bool = False,
    strict_aliasing: bool = True,
    assume_parallel: Iterable[str] = (),
    defines: Mapping[str, Any] | None = None,
    include_dirs: Iterable[str | PathLike[str]] = (),
    cpp: str | None = None,
    check: bool = True,
) -> CompiledKernel:
    """Compiles one function of a C file, of a shipped kernel by name, of C text, or of formulas.

    `layouts` defines how arrays are stored, such as `{"A": Blocked(2, 2)}` or `{"A": "2x2"}`: the kernel then takes what
    `trv.pack` makes of them. `brush` is `(4, 8)`, `"4x8"`, `{"j": 4, "i": 8}`, `"auto"` or None for scalar code.
    `order` is `"k,i,j"` or `("k", "i", "j")`, `tile` is written as a brush is, `skew` is `"i+2*j"`, `fuse` runs neighbouring
    loops as one, and `split` is whether loops are divided into pieces in which conditions on the iteration are decided ("auto",
    "none", "all"); `unroll`: whether inner loops with few constant iterations become straight code, which is the same choice.
    `vectorizer="llvm"` leaves loops that no brush takes to LLVM's loop vectorizer.
    `cpp` is a compiler, such as `"gcc"`, that preprocesses the file with its headers. Calls raise ValueError when an access would
    lie outside of its array; `check=False` leaves that to the caller. `function` may be left out when the file has one function
    that can be compiled. Raises Refused when the input is refused, ValueError for a plan, layout or target that makes no sense.
    """
    chosen = parse_brush_like(brush)
    plan = Plan(
        brush=chosen or Brush(),
        projection=None if projection is None else tuple(projection),
        layouts=_layouts(layouts or {}),
        fp=fp,
        math=math,
        tail=tail,
        threads=threads,
        boscc=boscc,
        stores=stores,
        prefetch=prefetch,
        assume_no_alias=assume_no_alias,
        strict_aliasing=strict_aliasing,
        assume_parallel=(assume_parallel,) if isinstance(assume_parallel, str) else tuple(assume_parallel),
        order=parse_order_like(order),
        tile=parse_tile_like(tile),
        fuse=fuse,
        split=split,
        vectorizer=vectorizer,
        skew=parse_skew_like(skew),
        unroll=unroll,
    )
    path, text = source_of(source)
    macros = tuple((name, str(value)) for name, value in (defines or {}).items())
    directories = tuple(fspath(directory) for directory in include_dirs)
    return _ordered(Order(path, text, function, chosen, plan, target, macros, directories, cpp, check))


def _ordered(order: Order) -> CompiledKernel:
    entry = find_kernel_entry(order)
    if entry is not None:
        return CompiledKernel(None, order, entry)
    made = made_of(order)
    return CompiledKernel(made.kernel, order, files=made.files)


def made_of(order: Order) -> Made:
    """The compiled kernel. Loads the compiler, which a kernel from the cache does without."""
    with loading("compiler"):
        from tensorrv.api.carry_out import carry_out

        return carry_out(order)


def parse_brush_like(given: BrushLike) -> Brush | None:
    """The brush; None for `auto`."""
    match given:
        case None:
            return Brush()
        case str():
            return parse_brush(given)
        case Mapping():
            return Brush(_sizes(given, given.values()), tuple(given))
        case Iterable():
            return Brush(_sizes(given, given))
        case _:
            return Brush(_sizes(given, (given,)))


def parse_skew_like(given: str | Iterable[str]) -> tuple[Skew, ...]:
    """The slopes, one text or several."""
    return parse_skew(given if isinstance(given, str) else ",".join(given))


def parse_tile_like(given: BrushLike) -> Tile:
    """The tile; None for no tiles."""
    match given:
        case None:
            return Tile()
        case str():
            return parse_tile(given)
        case Mapping():
            return Tile(_sizes(given, given.values(), "tile"), tuple(given))
        case Iterable():
            return Tile(_sizes(given, given, "tile"))
        case _:
            return Tile(_sizes(given, (given,), "tile"))


def parse_order_like(given: str | Iterable[str]) -> tuple[str, ...]:
    """The names of the loops."""
    return parse_order(given if isinstance(given, str) else ",".join(map(str, given)))


def _layouts(given: Mapping[str, Layout | str]) -> tuple[tuple[str, Layout], ...]:
    """The layouts of arrays by name. Raises TypeError for anything else."""
    if not isinstance(given, Mapping):
        raise TypeError(f"layouts is a dictionary such as {{'A': '2x2'}}, not {given!r}")
    return tuple((name, _layout(name, layout)) for name, layout in given.items())


def _layout(name: str, given: Layout | str) -> Layout:
    with loading("layouts"):
        from layouts.layout import Layout, parse_layout

    if isinstance(given, str):
        return parse_layout(given)
    if isinstance(given, Layout):
        return given
    raise TypeError(f"the layout of '{name}' is a text such as '2x2' or a value such as Blocked(2, 2), not {given!r}")


def _sizes(given: BrushLike, sizes: Iterable[Any], what: str = "brush") -> tuple[int, ...]:
    """Sizes as Python integers, NumPy's included. Raises PlanError for other types."""
    numbers = tuple(sizes)
    try:
        if not any(isinstance(number, bool) for number in numbers):
            return tuple(map(index, numbers))
    except TypeError:
        pass
    raise PlanError(f"{given!r} is not a {what}", "give integers, such as (4, 8)")


def source_of(source: Source) -> tuple[str, str | None]:
    """The file to read, or a name in angle brackets and the text. Raises Refused."""
    if isinstance(source, FormulaKernel):
        return FORMULA, source.c
    if not isinstance(source, (str, PathLike)):
        what = "a kernel is a path, the name of a shipped kernel, C text, or what trv.stencil and trv.from_sympy make"
        raise TypeError(f"{what}, not {type(source).__name__}")
    text = fspath(source)
    if isinstance(source, str) and any(mark in text for mark in "{;\n"):
        return "<text>", text
    return str(find_kernel(text)), None
