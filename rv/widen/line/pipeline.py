"""One loop, several iterations at once: the pipeline of rv for lanes in a line.

    prepare -> promote accumulators -> obstacles, memory -> two versions where a run-time test is needed
            -> divergent control flow to predicates -> shapes -> widen

`tensorrv.brush.tensorize` is the same for tiles of several loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rv.analysis.cfg.flow import flow_graph, reverse_postorder
from rv.analysis.cfg.loops import find_loops
from rv.analysis.memory.alias import Distinct
from rv.analysis.strides.shape_lattice import Shape
from rv.analysis.verify import verify
from rv.evolution.analyze import analyze_loops
from rv.evolution.event_order import number_changes
from rv.evolution.facts import Loop, LoopFacts
from rv.evolution.libm_extrema import as_selections
from rv.evolution.within import facts_within
from rv.ir.function import Function
from rv.ir.instructions import Load, Store
from rv.ir.rewrite import FreshNames
from rv.ir.types import FloatMode, size_of
from rv.target.description import machine_of
from rv.target.llvm_defects.known import fences
from rv.target.machine import Target
from rv.transform.linearize.control_uniform import Divergent
from rv.transform.loops.evaluation import NotKnownBefore
from rv.transform.loops.promote import promote
from rv.transform.loops.run_time_test import run_time_test
from rv.transform.loops.version import version_loops
from rv.transform.prepare import prepare
from rv.transform.scalar.reciprocal_roots import use_reciprocal_roots
from rv.vector.function import Module
from rv.widen.arithmetic.narrow_sums import narrow_sums
from rv.widen.context import Context, find_definitions, find_folds
from rv.widen.line.accesses import LineAccesses
from rv.widen.line.independence import accesses_in, lock_step
from rv.widen.line.obstacles import CannotVectorize, obstacles
from rv.widen.line.shapes import LineShapes, line_shapes
from rv.widen.linkage import EXTERNAL, Linkage
from rv.widen.loops.variant_tree import VectorNest, variant_tree
from rv.widen.memory.worklists import find_pending
from rv.widen.policies import TailPolicy
from rv.widen.skipping import linearized, sides_to_skip, weigher
from rv.widen.widen import register_lanes, varying_data, widen


@dataclass(frozen=True, slots=True)
class Line:
    """So many lanes in a line, and how they are to be computed.

    `independent`: by the caller's guarantee iterations do not depend on each other; `no_alias`: that pointer parameters do
    not lead to the same memory.
    """

    lanes: int
    target: Target
    fp: FloatMode = "strict"
    tail: TailPolicy = "auto"
    independent: bool = False
    no_alias: bool = False


def prepared(function: Function, line: Line) -> Function:
    """The function in the form in which loops are analyzed. P-LLVM has no rule that memory is read as what it was written as."""
    if line.fp == "fast" and line.target.avx512_from:
        function = use_reciprocal_roots(function)
    return promote(prepare(function), Distinct(everywhere=line.no_alias))


def vectorized(function: Function, header: str, line: Line, linkage: Linkage = EXTERNAL) -> Module:
    """The vector code of a function that is `prepared`, in which the loop `header` takes several iterations at once.

    Raises CannotVectorize.
    """
    facts = facts_within(analyze_loops(function), header)
    loop = facts.loops[header]
    for reason in obstacles(facts, loop, line.lanes, line.fp, independent=line.independent):
        raise CannotVectorize(f"@{function.name}: {reason}")
    legal, distinct = lock_step(facts, loop, line.lanes, independent=line.independent, no_alias=line.no_alias)
    if legal.is_conditional:
        try:
            test = run_time_test(function, loop.preheader, facts.loops, legal, FreshNames.of(function))
        except NotKnownBefore as problem:
            raise CannotVectorize(f"@{function.name}: {problem}") from problem
        function = version_loops(function, [find_loops(function).loops[header]], {header: test}).function
        function = promote(function, Distinct(loops=frozenset({header})) if distinct else Distinct())
    found = _linear(function, header, line)
    return _widened(found, header, line, linkage, distinct=distinct)


@dataclass(frozen=True, slots=True)
class _Linear:
    """A function with only uniform branches in its loop, and the shapes of stack objects before."""

    function: Function
    objects: Mapping[str, Shape]


def _linear(function: Function, header: str, line: Line) -> _Linear:
    facts = facts_within(analyze_loops(function), header)
    shapes = line_shapes(facts, header, line.lanes)
    found = shapes.shapes.found
    divergent = Divergent(facts.loops[header].blocks, frozenset(found.branches), frozenset(found.loops))

    def apart(access: Load | Store) -> bool:
        value = access.value if isinstance(access, Store) else access.result
        return bool(shapes.of(access.pointer)) and abs(shapes.stride(access.pointer) or 0) != size_of(value.type)

    weigh = weigher(shapes, line.lanes, line.target.register_bits, apart)
    sides = sides_to_skip(function, divergent, shapes, "auto", line.lanes, weigh, machine_of(line.target))
    function = verify(linearized(function, divergent, sides))
    if line.fp != "fast" and line.target.architecture == "x86_64":
        function = as_selections(analyze_loops(function), [header])
    return _Linear(number_changes(analyze_loops(function), [header], line.fp), shapes.objects)


def _widened(found: _Linear, header: str, line: Line, linkage: Linkage, *, distinct: bool) -> Module:
    facts = analyze_loops(found.function)
    within = facts_within(facts, header)
    shapes = line_shapes(within, header, line.lanes, found.objects)
    nest = VectorNest((header,), (line.lanes,), (0,), frozenset({0}), (1,), within, (0,), distinct=distinct)
    single = VectorNest((header,), (1,), (0,), frozenset({0}), (1,), within, (0,), distinct=distinct)
    needed = varying_data(_context(facts, single, shapes, line, 1))
    accesses = accesses_in(within, within.loops[header])
    stored = [8 * access.size for access in accesses if access.kind == "store"]
    width = register_lanes(nest, needed[header], stored, len(accesses), line.target.register_bits)
    return widen(_context(facts, nest, shapes, line, width), linkage)


def _context(facts: LoopFacts, nest: VectorNest, shapes: LineShapes, line: Line, width: int) -> Context:
    function, header = facts.function, nest.headers[0]
    order = reverse_postorder(flow_graph(function))
    lanes, masks = {header: width}, line.target.cheap_masks and nest.sizes != (1,)
    return Context(
        function=function,
        loops=facts.loops,
        nests=(nest,),
        shapes={header: shapes},
        lanes=lanes,
        root=variant_tree(order, facts.loops, (nest,), line.tail, masks=masks, lanes=lanes),
        order=order,
        fp=line.fp,
        target=line.target,
        definitions=find_definitions(function),
        accesses={(header, a.block, a.position): a for a in accesses_in(nest.facts, nest.facts.loops[header])},
        forms=LineAccesses({header: shapes}),
        folds=find_folds(facts),
        pending=find_pending(nest.facts, header, machine_of(line.target).memory.line),
        fences=fences(function, line.target.architecture),
        sums=narrow_sums(facts, line.target),
    )


def loop_over(function: Function, variable: str) -> Loop:
    """The loop of a `prepared` function that the source calls by this variable. Raises ValueError when there is none."""
    loops = analyze_loops(function).loops.values()
    for loop in loops:
        if loop.name == variable:
            return loop
    known = ", ".join(dict.fromkeys(loop.name for loop in loops))
    raise ValueError(f"{function.name} has no loop over '{variable}'; its loops are over {known or 'nothing'}")
