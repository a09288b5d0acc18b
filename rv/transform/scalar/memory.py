"""Redundant loads and loads of what was just stored (a forward data-flow problem of available memory values).

    store double %x, %p
    %a = load double, %p                  store double %x, %p
    %b = load double, %q                  %b = load double, %q
    %c = load double, %q          ->      (%a is %x, %c is %b)

A fact (pointer, type, value): the memory at the pointer contains the value. Loads and stores make facts; a store
removes the facts about every address that it may touch, an alloca those about its object, an unknown call all of them. At a
join those facts hold that hold on every way in; the greatest solution is computed. A fact of an earlier iteration cannot
survive into a new one of the loop that defines its pointer or value, because the way in from outside the loop does not have it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rv.analysis.cfg.dominance import dominator_tree
from rv.analysis.cfg.flow import flow_graph
from rv.analysis.memory.alias import NOWHERE, AliasAnalysis, Distinct, Place, alias_analysis
from rv.analysis.values.effects import may_write
from rv.ir.function import Block, Function
from rv.ir.instructions import Alloca, Instruction, Load, Store
from rv.ir.rewrite import substitute
from rv.ir.values import Value

Facts = Mapping[Place, Value]


def forward_loads(function: Function, distinct: Distinct = NOWHERE) -> Function:
    """The function without loads whose value is known; only what is `distinct` everywhere is used, since facts cross loops."""
    aliases = alias_analysis(function, distinct.everywhere)
    entries = _facts_at_entries(function, aliases)
    replaced: dict[str, Value] = {}
    blocks: list[Block] = []
    for block in function.blocks:
        facts = dict(entries.get(block.label, {}))
        body: list[Instruction] = []
        for instruction in block.body:
            if isinstance(instruction, Load) and (instruction.pointer, instruction.result.type) in facts:
                replaced[instruction.result.name] = facts[instruction.pointer, instruction.result.type]
            else:
                body.append(instruction)
            _transfer(instruction, facts, aliases)
        blocks.append(replace(block, body=tuple(body)))
    return substitute(replace(function, blocks=tuple(blocks)), replaced)


def _facts_at_entries(function: Function, aliases: AliasAnalysis) -> dict[str, Facts]:
    """The greatest solution; blocks that have not been visited yet count as having every fact."""
    graph = flow_graph(function)
    order = dominator_tree(graph).order
    blocks = {block.label: block for block in function.blocks}
    leaving: dict[str, Facts] = {}
    entries: dict[str, Facts] = {}
    changed = True
    while changed:
        changed = False
        for label in order:
            facts = _join([leaving[p] for p in graph.predecessors[label] if p in leaving])
            entries[label] = dict(facts)
            for instruction in blocks[label].body:
                _transfer(instruction, facts, aliases)
            if leaving.get(label) != facts:
                leaving[label] = facts
                changed = True
    return entries


def _join(ways: list[Facts]) -> dict[Place, Value]:
    if not ways:
        return {}
    first, *others = ways
    return {key: value for key, value in first.items() if all(other.get(key) == value for other in others)}


def _transfer(instruction: Instruction, facts: dict[Place, Value], aliases: AliasAnalysis) -> None:
    match instruction:
        case Load(result=result, pointer=pointer):
            facts.setdefault((pointer, result.type), result)
        case Store(value=value, pointer=pointer):
            for known in aliases.overlapping(facts, (pointer, value.type)):
                del facts[known]
            facts[pointer, value.type] = value
        case Alloca(result=result):
            for known in [key for key in facts if result.name in aliases.objects.of(key[0]).objects]:
                del facts[known]
        case _ if may_write(instruction):
            facts.clear()
