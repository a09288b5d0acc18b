"""The analyses and transformations of rv by themselves, for functions in P-LLVM or its text.

    rv.divergence(f)                 which values and branches differ between threads (thesis, chapter 6)
    rv.shapes(f)["p"]                strides and alignments (chapter 10)
    rv.lane_evolution(f).of("p")     uniform, strided or random (SIMD lane evolution)
    rv.control_divergence(f)         which joins and loop exits each branch taints when it is divergent (chapters 6 and 7)
    rv.view(f, "cdg")                pictures of control flow
    rv.linearize(f)                  all threads take all branches together (chapters 8 and 9)
    rv.dataflow_graph(f)             picks and switches in place of control flow
    rv.run(f, [(1, 2), (3, 4)])      what threads compute in lock step (chapters 4 and 5)

Parameters differ between threads as `Varying` (the default), `Uniform` and `Linear` say, by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from rv import pictures as draw
from rv.analysis.divergence import control_divergence as control
from rv.analysis.divergence import divergence_analysis
from rv.analysis.divergence.control_divergence import ControlDependences
from rv.analysis.divergence.divergence_analysis import Divergence
from rv.analysis.lane_evolution import evolution
from rv.analysis.lane_evolution.evolution import LaneEvolution
from rv.analysis.lane_evolution.lattice import RANDOM, UNIFORM, Evolution
from rv.analysis.strides.readings import Facts
from rv.analysis.strides.shape_analysis import vector_shapes
from rv.analysis.strides.shape_lattice import Shape, shape, uniform, varying
from rv.analysis.verify import verify
from rv.argument_shapes import Linear, ParameterShape, Uniform
from rv.dataflow.convert import dataflow
from rv.dataflow.graph import DataflowGraph
from rv.drivers.vector_function import shapes_of
from rv.ir.function import Function
from rv.ir.types import Type, bits_of
from rv.pictures import Picture
from rv.semantics.arguments import Argument, Result
from rv.semantics.block_code import Interpretation
from rv.semantics.lockstep import run_lockstep
from rv.semantics.memory import Memory
from rv.transform.linearize.control_uniform import canonical_control, control_uniform
from rv.vectorize import Source, read_function

Semantics = Literal["freezing", "oblivious"]
Given = Mapping[str, ParameterShape]


def divergence(function: Source, shapes: Given | None = None) -> Divergence:
    """What differs between threads, in the form of the function that has one return and simple loops (`rv.canonical`)."""
    found = canonical(function)
    return divergence_analysis.divergence(found, _varying(found, shapes))


def shapes(function: Source, shapes: Given | None = None, *, threads: int = 8) -> Mapping[str, Shape]:
    """The stride-alignment shape of every variable in so many threads; `str` writes it as the thesis does: `(1, 8)`, `u`, `v`."""
    found = canonical(function)
    own = shapes_of(found, shapes or {})
    given = {p.var.name: _shape(p.var.type, s) for p, s in zip(found.parameters, own, strict=True)}
    known = vector_shapes(found, given, threads)
    variables = [*(p.var for p in found.parameters), *(d.result for b in found.blocks for d in (*b.phis, *b.body) if d.result)]
    return {variable.name: known.of(variable) for variable in variables}


def lane_evolution(function: Source, shapes: Given | None = None) -> LaneEvolution:
    """What neighbouring lanes have to do with each other, by the second divergence analysis: `of` a variable, `is_divergent`.

    A `Linear` parameter is strided by its step when that is a number.
    """
    found = read_function(function)
    own = shapes_of(found, shapes or {})
    return evolution.lane_evolution(found, {p.var.name: _evolution(s) for p, s in zip(found.parameters, own, strict=True)})


def control_divergence(function: Source) -> ControlDependences:
    """The effects that every branch has when it is divergent."""
    return control.control_divergence(canonical(function))


def view(function: Source, picture: Picture = "cfg", shapes: Given | None = None) -> str:
    """A picture of the canonical function in Graphviz's language, with what lanes do apart in colours; see `rv.pictures`.

    Pictures are cfg, cdg, dom, pdom and regions.
    """
    found = canonical(function)
    facts = divergence_analysis.divergence(found, _varying(found, shapes))
    return draw.picture(found, picture, draw.Marks(facts.divergent_branches, facts.varying_predicates))


def linearize(function: Source, shapes: Given | None = None) -> Function:
    """The function with predicates in place of divergent branches: what it means to threads that all take all of its paths."""
    found = read_function(function)
    return verify(control_uniform(found, _varying(found, shapes)))


def dataflow_graph(function: Source) -> DataflowGraph:
    """The function without control flow, as picks, switches and loops with initial tokens; `str` gives its text.

    `rv.dataflow.simulate.simulate` runs it. Raises ValueError for functions with operations across lanes.
    """
    return dataflow(read_function(function))


def run(
    function: Source, threads: Sequence[Sequence[Argument]], *, semantics: Semantics = "freezing", memory: Memory | None = None
) -> tuple[Result, ...]:
    """What every thread returns when all run together, each with its arguments, in a greedy schedule.

    An instruction that a thread does not take part in leaves its variable as it was (`freezing`), as in source code, or makes it
    undefined (`oblivious`), as in linearized code. Raises rv.semantics.undefined.Undefined where an undefined value decides.
    """
    interpretation = Interpretation.FREEZING if semantics == "freezing" else Interpretation.OBLIVIOUS
    return run_lockstep(read_function(function), threads, memory or Memory(), interpretation=interpretation)


def canonical(function: Source) -> Function:
    """The function with one return, and loops with one latch that are closed by phis: the form that is analyzed."""
    return canonical_control(read_function(function))


def _varying(function: Function, given: Given | None) -> list[str]:
    own = shapes_of(function, given or {})
    return [p.var.name for p, s in zip(function.parameters, own, strict=True) if s != Uniform()]


def _evolution(given: ParameterShape) -> Evolution:
    match given:
        case Uniform():
            return UNIFORM
        case Linear(step=int() as step, unit=unit):
            return Evolution(step * unit)
        case _:
            return RANDOM


def _shape(type_: Type, given: ParameterShape) -> Shape:
    bits = bits_of(type_)
    match given:
        case Uniform():
            return uniform(bits)
        case Linear(step=int() as step, unit=unit, wraps=wraps):
            return shape(bits, step * unit, 1, Facts.NONE if wraps else Facts.SIGNED)
        case _:
            return varying(bits)
