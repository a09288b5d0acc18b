"""Pictures of a function's control flow, in Graphviz's language: what `tensorrv-gen --view` and `rv.view` draw.

    cfg      blocks and edges
    cdg      control dependence: which branch decides that a block runs (thesis, section 2.3)
    dom      the dominator tree
    pdom     the post-dominator tree
    regions  blocks and edges, with frames around blocks that depend on the same branches and so run equally often

Blocks with a divergent branch are orange, those that only some lanes run yellow, edges that lanes take apart red.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from rv.analysis.cfg.control_dependence import control_dependence
from rv.analysis.cfg.postdominance import EXIT, post_dominator_tree
from rv.analysis.cfg.region import Edge, Region, find_region
from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, Jump, Return

Picture = Literal["cfg", "cdg", "dom", "pdom", "regions"]
PICTURES: Final[tuple[Picture, ...]] = get_args(Picture)

NOTHING: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Marks:
    """What lanes do apart, by labels of blocks: those with divergent branches, and those that only some lanes run."""

    divergent: frozenset[str] = NOTHING
    partly: frozenset[str] = NOTHING


def picture(function: Function, kind: Picture, marks: Marks | None = None) -> str:
    """The picture of a function as a `digraph`."""
    region, found = find_region(function), marks or Marks()
    blocks = {block.label: block for block in function.blocks if block.label in region.graph.successors}
    lines = [f"digraph {_quoted(f'{function.name} {kind}')} {{"]
    lines.append(f"  label={_quoted(f'{function.name}: {TITLES[kind]}')}; labelloc=t; fontname=monospace; fontsize=10;")
    lines.append("  node [shape=box, style=filled, fillcolor=white, fontname=monospace, fontsize=10];")
    lines.append("  edge [fontname=monospace, fontsize=10];")
    nodes = {label: _node(block, found) for label, block in blocks.items()}
    lines += list(_framed(region, blocks, nodes) if kind == "regions" else nodes.values())
    lines += _edges(region, kind, blocks, found)
    return "\n".join([*lines, "}", ""])


TITLES: Final[Mapping[Picture, str]] = {
    "cfg": "control flow",
    "cdg": "control dependence",
    "dom": "dominators",
    "pdom": "post-dominators",
    "regions": "control-dependence regions",
}


def _edges(region: Region, kind: Picture, blocks: Mapping[str, Block], marks: Marks) -> Iterator[str]:
    match kind:
        case "cfg" | "regions":
            for label, block in blocks.items():
                for target, way in _ways(block):
                    back = region.dominators.dominates(target, label)
                    yield _edge(label, target, way, apart=label in marks.divergent, back=back)
        case "cdg":
            for label, found in control_dependence(region).edges.items():
                for source, target in found:
                    way = dict(_ways(blocks[source])).get(target, "")
                    yield _edge(source, label, way, apart=source in marks.divergent)
        case "dom":
            for label, above in region.dominators.immediate.items():
                if above is not None:
                    yield _edge(above, label)
        case "pdom":
            for label, below in post_dominator_tree(region).tree.immediate.items():
                if below is not None and below != EXIT:
                    yield _edge(below, label)


def _ways(block: Block) -> Iterator[tuple[str, str]]:
    """The successors of a block, with the truth value that leads there."""
    match block.terminator:
        case Branch(then=then, otherwise=otherwise) if then != otherwise:
            yield then, "1"
            yield otherwise, "0"
        case _:
            yield from ((target, "") for target in dict.fromkeys(block.successors))


def _node(block: Block, marks: Marks) -> str:
    match block.terminator:
        case Branch(condition=condition):
            end = f"branch {condition}"
        case Jump():
            end = ""
        case Return(value=value):
            end = "return" if value is None else f"return {value}"
    inside = len(block.phis) + len(block.body)
    count = f"{inside} instruction{'s' if inside > 1 else ''}" if inside else ""
    text = "\n".join(line for line in (block.label, count, end) if line)
    divergent, partly = block.label in marks.divergent, block.label in marks.partly
    colour = "orange" if divergent else "lightyellow" if partly else ""
    return f"  {_quoted(block.label)} [label={_quoted(text)}{f', fillcolor={colour}' if colour else ''}];"


def _edge(source: str, target: str, way: str = "", *, apart: bool = False, back: bool = False) -> str:
    looks = [f"label={_quoted(way)}" if way else "", "color=red" if apart else "", "style=dashed" if back else ""]
    found = ", ".join(look for look in looks if look)
    return f"  {_quoted(source)} -> {_quoted(target)}{f' [{found}]' if found else ''};"


def _framed(region: Region, blocks: Mapping[str, Block], nodes: Mapping[str, str]) -> Iterator[str]:
    """The nodes, those with equal control dependences in one frame, which says what they depend on."""
    groups: dict[frozenset[Edge], list[str]] = {}
    for label, edges in control_dependence(region).edges.items():
        groups.setdefault(frozenset(edges), []).append(label)
    for number, (depends, group) in enumerate(groups.items()):
        ways = sorted(f"{source} = {dict(_ways(blocks[source]))[target]}" for source, target in depends)
        yield f"  subgraph cluster_{number} {{ style=rounded; color=gray; label={_quoted(', '.join(ways) or 'always')};"
        yield from (f"  {nodes[label]}" for label in group)
        yield "  }"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
