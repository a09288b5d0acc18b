"""All facts about the loops of a prepared function in one pass: see `rv.evolution.facts` for what they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.analysis.memory.stack_objects import stack_objects
from rv.analysis.remembered import remembered
from rv.evolution.closed_forms import ClosedForms
from rv.evolution.facts import Condition, Loop, LoopFacts, PointerForm
from rv.evolution.polynomial import Polynomial, counter, signed
from rv.evolution.reductions import find_reductions
from rv.evolution.selections import find_selections
from rv.ir.function import Block, Function
from rv.ir.types import I1, IntType, PointerType
from rv.ir.values import Var


@remembered
def analyze_loops(function: Function) -> LoopFacts:
    """The loops, closed forms and reductions of a function in loop-simplify form and LCSSA."""
    return loop_facts(ClosedForms(function, find_loops(function)))


def loop_facts(forms: ClosedForms) -> LoopFacts:
    """All facts, from the forms of a function."""
    function, forest = forms.function, forms.forest
    blocks = {block.label: block for block in function.blocks}
    loops = {header: _loop(forms, loop, blocks) for header, loop in forest.loops.items()}
    found = _all_forms(forms, function)
    all_loops = tuple(forest.loops.values())
    reductions = find_reductions(function, all_loops, forms.definitions)
    return LoopFacts(
        function=function,
        loops=loops,
        closed_forms=found.exact,
        reductions=reductions,
        selections=find_selections(function, all_loops, forms.definitions, forms.defined_in, reductions),
        form_conditions=found.conditions,
        defined_in=forms.defined_in,
        innermost=dict(forest.innermost),
        bits=forms.bits,
        congruences=found.congruent,
        pointers=found.pointers,
        objects=stack_objects(function),
    )


def _loop(forms: ClosedForms, loop: NaturalLoop, blocks: Mapping[str, Block]) -> Loop:
    header = blocks[loop.header]
    solved = forms.trip(loop.header)
    inside = [target for target in header.successors if target in loop.blocks]
    form = None if solved is None else forms.form(solved.variable)
    symbol = Polynomial.symbol(counter(loop.header))
    domain = [symbol]
    name = _name(solved.variable if solved else None, header)
    if solved is not None:
        domain.append(solved.trip.distance - 1 - symbol * abs(solved.trip.step))
    return Loop(
        header=loop.header,
        preheader=loop.entering[0] if loop.entering else "",
        latch=loop.latches[0],
        body=inside[0] if inside else loop.header,
        exit=loop.exits[0][1] if loop.exits else "",
        blocks=loop.blocks,
        parent=loop.parent,
        name=header.label if name is None else name,
        variable=None if solved is None else solved.variable,
        trip=None if solved is None else solved.trip,
        start=None if form is None else form.polynomial.without([counter(loop.header)]),
        steps=_steps(forms, header, None if solved is None else solved.variable),
        domain=tuple(domain),
        hints=header.hints,
        span=header.span,
        conditions=() if solved is None else solved.conditions,
        anonymous=name is None,
        value=None if solved is None else _value(forms, header, solved.variable),
    )


def _value(forms: ClosedForms, header: Block, variable: Var) -> Polynomial | None:
    """The closed form of the variable that the user calls the loop by, which need not be the one that counts."""
    named = [p.result for p in header.phis if p.result.source_name == variable.source_name and p.result != variable]
    for candidate in (*named, variable):
        form = forms.form(candidate) if isinstance(candidate.type, IntType) else None
        if form is not None and counter(header.label) in form.polynomial.symbols:
            return form.polynomial
    return None


def _name(variable: Var | None, header: Block) -> str | None:
    """The variable that the user calls the loop by: the one that counts it, or where the trip is unknown what its label says, or
    the first integer or pointer that changes.
    """
    if variable is not None:
        return variable.source_name
    kind, *names = header.label.split(".")
    if kind in ("for", "while") and names and names[0].isidentifier() and names[0] != "live":  # as divergent loops are called
        return names[0]
    phis = [phi.result for phi in header.phis if isinstance(phi.result.type, IntType | PointerType) and phi.result.type != I1]
    return next((phi.source_name for phi in sorted(phis, key=lambda phi: isinstance(phi.type, PointerType))), None)


def _steps(forms: ClosedForms, header: Block, variable: Var | None) -> tuple[str, Polynomial] | None:
    """What the user calls a variable that moves by one in every iteration, and its closed form."""
    symbol = counter(header.label)
    for candidate in (variable, *(phi.result for phi in header.phis)):
        form = forms.form(candidate) if candidate is not None and isinstance(candidate.type, IntType) else None
        if candidate is not None and form is not None and form.polynomial.coefficient(symbol).as_constant in (1, -1):
            return candidate.source_name, form.polynomial
    return None


@dataclass(slots=True)
class _Forms:
    """Closed forms of all variables, by name; a variable whose form is itself is left out."""

    exact: dict[str, Polynomial] = field(default_factory=dict)
    congruent: dict[str, Polynomial] = field(default_factory=dict)
    conditions: dict[str, tuple[Condition, ...]] = field(default_factory=dict)
    pointers: dict[str, PointerForm] = field(default_factory=dict)


def _all_forms(forms: ClosedForms, function: Function) -> _Forms:
    """The closed forms of all variables, and the conditions that come out of the extensions they go through.

    No condition is invented to make a variable exact that is never extended: much unsigned arithmetic is meant to wrap.
    """
    found = _Forms()
    for block in function.blocks:
        for definition in (*block.phis, *block.body):
            variable = definition.result
            if variable is None:
                continue
            match variable.type:
                case IntType(bits) if bits > 1:
                    _add_integer(found, forms, variable, block.label)
                case PointerType():
                    _add_pointer(found, forms, variable)
                case _:
                    pass
    return found


def _add_integer(found: _Forms, forms: ClosedForms, variable: Var, block: str) -> None:
    form = forms.form(variable)
    if form is None or form.polynomial == Polynomial.symbol(signed(variable.name)):
        return
    found.congruent[variable.name] = form.polynomial
    if form.conditions:
        found.conditions[variable.name] = form.conditions
    reading = forms.signed(variable, block)
    if reading is not None and reading.conditions == form.conditions:
        found.exact[variable.name] = reading.polynomial


def _add_pointer(found: _Forms, forms: ClosedForms, variable: Var) -> None:
    address = forms.address(variable)
    if address is not None and address.base != variable:
        found.pointers[variable.name] = PointerForm(address.base, address.offset, address.conditions)
