"""What the child process does that runs machine code: compare the results of functions, or time them.

Before each call it sends a note with the version that is about to run, so that the parent can name it when no result arrives.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, assert_never

from rv.ir.function import Function
from rv.target.llvm import JitModule, ObjectImage, loaded
from tensorrv.check.bench import Timing, Version, measure
from tensorrv.check.buffers import Special
from tensorrv.check.compiler import Library
from tensorrv.check.definedness import undefined
from tensorrv.check.given.values import NOTHING, Given
from tensorrv.check.sandbox import Note
from tensorrv.check.sizes import Sizes
from tensorrv.check.verify import SPECIALS, Comparer, SecondOpinion, Verification, Whose, verify
from tensorrv.interface.reach import Reaches
from tensorrv.interface.signature import Signature
from tensorrv.interface.storage.runs import Storages
from tensorrv.pipeline.native import NativeFunction, native_function

SCALAR_VERSION: Final = "scalar"
GCC_VERSION: Final = "gcc -O3"


@dataclass(frozen=True, slots=True)
class Running:
    """The note: code of the C source as it stands (ours, or the C compiler's), or of the kernel, is called at these sizes."""

    whose: Whose
    sizes: Sizes
    called: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs of `tested`, which takes `storages`, beside the scalar code `reference` of the same function.

    `function` is the source for the interpreter, `libm` the scalar code with the functions of libm where the kernel has others;
    `library` has what a C compiler makes of the source. `tested` is None when only the source is to be run.
    """

    function: Function
    signature: Signature
    reaches: Reaches
    sizes: tuple[Sizes, ...]
    reference: ObjectImage
    tested: ObjectImage | None
    storages: Storages
    libm: ObjectImage | None = None
    library: Library | None = None
    exact: bool = True
    specials: tuple[Special, ...] = SPECIALS
    given: Given = NOTHING


@dataclass(frozen=True, slots=True)
class Measurement:
    """Times of versions of a function, each with the arrays that it takes in a layout of their own, at one set of sizes."""

    signature: Signature
    reaches: Reaches
    sizes: Sizes
    versions: Mapping[str, tuple[ObjectImage | Library, Storages]]
    threads: bool
    given: Given = NOTHING


def answer(request: Comparison | Measurement, note: Note) -> Verification | tuple[Timing, ...]:
    """The sandbox's function."""
    match request:
        case Comparison():
            return compared(request, note)
        case Measurement():
            return _measured(request, note)
        case _:
            assert_never(request)


def compared(request: Comparison, note: Note) -> Verification:
    """Carries out a comparison in this process."""
    code = _Code(request.signature)
    reference, opinion = code.function(request.reference), None
    tested = None if request.tested is None else code.function(request.tested)
    if request.library is not None and code.address(request.library):
        opinion = SecondOpinion(request.library.called, code.function(request.library))

    def verified(right: NativeFunction, second: SecondOpinion | None, *, exact: bool) -> Verification:
        def calling(whose: Whose, sizes: Sizes) -> None:
            note(Running(whose, sizes, "" if second is None else second.called))

        # where another order is allowed, infinities and NaN may arise from other operations
        specials = request.specials if exact else tuple(Special(0, one.integers) for one in request.specials)
        comparer = Comparer(
            request.signature, request.reaches, right, tested, exact, specials, request.storages, second, calling,
            lambda buffers, scalars: undefined(request.function, request.signature, buffers, scalars),
            request.given,
        )  # fmt: skip
        return verify(comparer, request.sizes)

    if request.libm is None:
        return verified(reference, opinion, exact=request.exact)
    found = verified(reference, None, exact=request.exact)
    libm = verified(code.function(request.libm), opinion, exact=False)
    return replace(found, libm_ulps=libm.ulps, compiler=libm.compiler, doubt=libm.doubt)


@dataclass(frozen=True, slots=True)
class _Code:
    """Machine code of one signature in this process, as long as this object lives."""

    signature: Signature
    loaded: list[JitModule] = field(default_factory=list)

    def function(self, code: ObjectImage | Library) -> NativeFunction:
        return native_function(self.signature, self.address(code))

    def address(self, code: ObjectImage | Library) -> int:
        """Where the function is; 0 in a library that does not show it, or that calls functions which are nowhere."""
        name = self.signature.name
        if isinstance(code, Library):
            try:
                return ctypes.cast(ctypes.CDLL(str(code.path))[name], ctypes.c_void_p).value or 0
            except (OSError, AttributeError):
                return 0
        self.loaded.append(loaded(code))
        return self.loaded[-1].address(name)


def _measured(request: Measurement, note: Note) -> tuple[Timing, ...]:
    code = _Code(request.signature)
    found = {name: (code.address(one), storages) for name, (one, storages) in request.versions.items()}
    versions = [Version(name, *place) for name, place in found.items() if place[0]]

    def timing(version: str) -> None:
        whose: Whose = "source" if version == SCALAR_VERSION else "compiler" if version == GCC_VERSION else "kernel"
        note(Running(whose, request.sizes, version))

    return measure(
        request.signature, request.reaches, versions, request.sizes, threads=request.threads, given=request.given, timing=timing
    )
