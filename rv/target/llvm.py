"""LLVM behind a small typed surface: optimize a module given as text, emit it, load it into this process.

One `CompiledModule` parses and optimizes once; every form (IR, assembly, object, code in memory) is made from that on
first use. Code in memory is the object that is also written to disk, so what was verified is what is shipped. LLVM
reads and writes only text and bytes here: the same text and target give the same bytes.

Every module has a context of its own; still one thread at a time uses LLVM, which llvmlite ensures anyway. Our lock is
waited for before the process forks, so that the child does not find LLVM locked by a thread that it does not have.
What LLVM complains about is never the user's doing, hence InternalError.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import llvmlite.binding as binding

from rv.internal_error import InternalError
from rv.target.machine import Target, runs_here
from rv.target.process_forks import ALONE

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pipeline:
    """What LLVM may do. Its vectorizers are off unless requested: vectorizing is our work, and scalar code must stay scalar.

    `passes`: False for a module that is taken as it is.
    """

    level: int = 3
    passes: bool = True
    loop_vectorize: bool = False
    slp_vectorize: bool = False
    unroll: bool = True


STANDARD: Final = Pipeline()
PLAIN: Final = Pipeline(level=0, passes=False)
"""No optimization at all and the plainest choice of instructions: what optimized code is compared with."""
LARGE: Final = 6000
"""Instructions of a module from which on LLVM only cleans up."""


class JitModule:
    """Machine code in this process, alive as long as this object is."""

    def __init__(self, engine: Any, tracker: Any, names: tuple[str, ...]) -> None:
        self._engine = engine
        self._tracker = tracker
        self.names = names

    def address(self, name: str) -> int:
        """The address of an external function of the module; KeyError when it has none of this name."""
        if name not in self.names:
            raise KeyError(name)
        return int(self._tracker[name])


class CompiledModule:
    """A module of LLVM IR, as text or bitcode, optimized for `target` by `pipeline`. Raises InternalError when LLVM refuses it.

    `instructions`: how many were generated, if that is known (`rv.vector.counts`); for very many LLVM only cleans up.
    """

    def __init__(self, source: str | bytes, target: Target, pipeline: Pipeline = STANDARD, instructions: int = 0) -> None:
        self.target = target
        self.pipeline = pipeline
        self._source = source
        self._forms: dict[str, Any] = {}
        with ALONE, _reporting(source):
            self._module = _optimized(source, target, pipeline, large=instructions > LARGE)

    @property
    def ir(self) -> str:
        """The optimized LLVM IR."""
        return self._once("ir", lambda: str(self._module))

    @property
    def bitcode(self) -> bytes:
        """The optimized LLVM IR, as LLVM itself reads it."""
        return self._once("bitcode", lambda: bytes(self._module.as_bitcode()))

    @property
    def assembly(self) -> str:
        return self._once("assembly", self._emit_assembly)

    @property
    def object(self) -> bytes:
        """A relocatable, position-independent object file."""
        return self._once("object", self._emit_object)

    def jit(self) -> JitModule:
        """The object loaded into this process. Raises RuntimeError when the code does not run on this machine."""
        reason = runs_here(self.target)
        if reason is not None:
            raise RuntimeError(f"code for target {self.target.name} does not run here: {reason}")
        missing = missing_symbols(self.image)
        if missing:
            raise RuntimeError(f"code that uses {', '.join(missing)} does not run here: this process has no such thing")
        return self._once("jit", self._load)

    def _emit_assembly(self) -> str:
        machine = _target_machine(self.target, self.pipeline.level)
        machine.set_asm_verbosity(True)
        # emission rewrites the module that it is given
        return str(machine.emit_assembly(self._module.clone()))

    def _emit_object(self) -> bytes:
        return bytes(_target_machine(self.target, self.pipeline.level).emit_object(self._module.clone()))

    @property
    def image(self) -> ObjectImage:
        """The object with what loading it takes, for this process or another one."""
        names = tuple(f.name for f in self._module.functions if not f.is_declaration and f.linkage == binding.Linkage.external)
        needed = self._needed()
        return ObjectImage(self.object, names, self.target, "GOMP_parallel" in needed, needed)

    def _needed(self) -> tuple[str, ...]:
        """The functions and variables that are declared only."""
        found = [*self._module.functions, *self._module.global_variables]
        return tuple(item.name for item in found if item.is_declaration and not item.name.startswith("llvm."))

    def _load(self) -> JitModule:
        return loaded(self.image)

    def _once(self, form: str, make: Callable[[], T]) -> T:
        with ALONE:
            if form not in self._forms:
                with _reporting(self._source):
                    self._forms[form] = make()
            result: T = self._forms[form]
            return result


class NotLlvm(Exception):
    """What was given is not a module of LLVM IR; `line` and `column` count from 1, and are 0 where no place is known."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column


def printed_module(given: str | bytes) -> str:
    """A module that a user gives, text or bitcode, as LLVM prints it after its verifier has seen it. Raises NotLlvm."""
    with ALONE:
        context = binding.create_context()
        try:
            if isinstance(given, bytes):
                module = binding.parse_bitcode(given, context=context)
                weakref.finalize(module, _let_go, context).atexit = False
            else:
                module = _parsed(given, context)
            module.verify()
            return str(module)
        except RuntimeError as error:
            raise _not_llvm(str(error)) from error


def _not_llvm(message: str) -> NotLlvm:
    """LLVM's message `<string>:3:5: error: expected ...`, with the offending line behind it."""
    lines = [line for line in message.split("\n") if line and not line.startswith("LLVM IR parsing error")]
    place, marked, what = (lines or [message])[0].partition(": error: ")
    numbers = place.split(":")[1:]
    if marked and len(numbers) == 2 and all(number.isdecimal() for number in numbers):
        return NotLlvm(what, int(numbers[0]), int(numbers[1]))
    return NotLlvm((lines or [message])[0])


@dataclass(frozen=True, slots=True)
class ObjectImage:
    """An object file, the external functions in it, whether they start threads, and what they need. Can be pickled."""

    object: bytes
    names: tuple[str, ...]
    target: Target
    openmp: bool
    needed: tuple[str, ...] = ()


def missing_symbols(image: ObjectImage) -> tuple[str, ...]:
    """What an object needs and this process does not have."""
    with ALONE:
        _load_libraries(openmp=image.openmp)
        # LLVM itself finds the symbols of the process only once it has loaded code
        process = ctypes.CDLL(None)
        return tuple(name for name in image.needed if not hasattr(process, name))


def loaded(image: ObjectImage) -> JitModule:
    """The object loaded into this process. Raises RuntimeError without libgomp when it starts threads."""
    with ALONE:
        _load_libraries(openmp=image.openmp)
        engine = binding.create_lljit_compiler(_target_machine(image.target, 0), use_jit_link=True)
        library = binding.JITLibraryBuilder().add_object_img(image.object).add_current_process()
        for name in image.names:
            library.export_symbol(name)
        return JitModule(engine, library.link(engine, "kernel"), image.names)


def optimize(ir: str, target: Target, pipeline: Pipeline = STANDARD) -> str:
    """The module after LLVM's pipeline, as text."""
    return CompiledModule(ir, target, pipeline).ir


def emit_object(ir: str, target: Target, pipeline: Pipeline = STANDARD) -> bytes:
    """The optimized module as an object file."""
    return CompiledModule(ir, target, pipeline).object


def emit_assembly(ir: str, target: Target, pipeline: Pipeline = STANDARD) -> str:
    """The optimized module as assembly text."""
    return CompiledModule(ir, target, pipeline).assembly


def jit(ir: str, target: Target, pipeline: Pipeline = STANDARD) -> JitModule:
    """The optimized module loaded into this process."""
    return CompiledModule(ir, target, pipeline).jit()


def linked(modules: Sequence[CompiledModule]) -> CompiledModule:
    """One module with what is in all of them, for the first one's target; nothing is optimized again.

    Their functions name the processors they are compiled for.
    """
    first, *others = modules
    if not others:
        return first
    with ALONE:
        context = binding.create_context()
        module = _parsed(first.bitcode, context)
        for other in others:
            module.link_in(_parsed(other.bitcode, context))
        whole = bytes(module.as_bitcode())
    return CompiledModule(whole, first.target, replace(first.pipeline, passes=False))


@contextlib.contextmanager
def _reporting(source: str | bytes) -> Iterator[None]:
    """Turns llvmlite's exceptions into InternalError with the module's text, if there is one."""
    try:
        yield
    except RuntimeError as error:
        text = source if isinstance(source, str) else ""
        raise InternalError("LLVM refused generated code", f"{error}\n{text}") from error


def _parsed(source: str | bytes, context: Any) -> Any:
    """The module, with its context kept as long as it lives.

    Where both are garbage of one cycle, as in the frames of an exception that was caught, the context might be disposed of first,
    and disposing of the module would then touch memory that is not there.
    """
    read = binding.parse_assembly if isinstance(source, str) else binding.parse_bitcode
    module = read(source, context=context)
    weakref.finalize(module, _let_go, context).atexit = False
    return module


def _let_go(context: Any) -> None:
    """The module holds the only reference now."""


def _optimized(source: str | bytes, target: Target, pipeline: Pipeline, *, large: bool) -> Any:
    machine = _target_machine(target, pipeline.level)
    module = _parsed(source, binding.create_context())
    module.triple = target.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    if not pipeline.passes:
        return module
    options = binding.create_pipeline_tuning_options(speed_level=pipeline.level)
    options.loop_vectorization = pipeline.loop_vectorize
    options.slp_vectorization = pipeline.slp_vectorize
    options.loop_unrolling = pipeline.unroll
    options.loop_interleaving = pipeline.loop_vectorize
    builder = binding.create_pass_builder(machine, options)
    _passes(builder, large=large).run(module, builder)
    return module


def _passes(builder: Any, *, large: bool) -> Any:
    """LLVM's pipeline for the level; for very large modules only what cleans up.

    Brushes of a thousand lanes are ten thousands of instructions in straight lines, for which some passes take time that grows
    with the square of their length: 5.4 s for 27 points on 1024 lanes with NEON, where cleaning up takes 0.14 s and gives
    the same loops.
    """
    if not large:
        return builder.getModulePassManager()
    passes = binding.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_loop_rotate_pass()
    passes.add_loop_simplify_pass()
    return passes


def _target_machine(target: Target, level: int) -> Any:
    _initialize()
    return binding.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=level, reloc="pic", codemodel="default"
    )


@functools.cache
def _initialize() -> None:
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()


@functools.cache
def _load_libraries(*, openmp: bool) -> None:
    """Makes the functions of libm visible to code in memory, and those of libgomp. Raises RuntimeError without libgomp."""
    _load_first("libm.so.6", "libm.dylib", "libm.so")
    if openmp and not _load_first("libgomp.so.1", "libgomp.so", "libgomp.dylib"):
        raise RuntimeError("code that uses threads needs libgomp, which gcc brings (libgomp1 on Debian)")


def _load_first(*names: str) -> bool:
    """Loads the first of the libraries that there is; whether there is any."""
    for name in names:
        with contextlib.suppress(OSError):
            ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
            return True
    return False
