"""Which sides of divergent branches are skipped when no lane is active there (thesis, section 9.2).

What lanes decide differently becomes straight-line code under predicates (`rv.transform.linearize.partial`). The expensive side
of such a branch is only entered when some lane is active: with `auto` where that is expected to save more than a test costs,
mispredictions included (`rv.transform.linearize.boscc`), or takes the place of a guard; with `all` always, with `none` never.

Costs are those of all lanes: an instruction is executed once for every register that its result takes, a load without
neighbouring elements once for every lane.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from rv.analysis.values.effects import DIVISIONS
from rv.analysis.values.uses import defining_blocks
from rv.cost.branches import test
from rv.cost.instructions import CALL, DIVISION
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Branch, Call, Instruction, Load, Store
from rv.ir.steps import Keep, forget
from rv.ir.types import bits_of
from rv.ir.values import Var
from rv.semantics.exact_calls import exact_name
from rv.target.description import Machine
from rv.transform.linearize.boscc import Weigh, expensive_sides
from rv.transform.linearize.control_uniform import Divergent, linear_control
from rv.widen.policies import SkipPolicy
from rv.widen.protocols import LaneShapes


def linearized(function: Function, divergent: Divergent, skipped: Mapping[str, str], keep: Keep = forget) -> Function:
    """The function with only uniform branches inside a region; `skipped` are sides behind a test, by the blocks that branch."""
    return linear_control(function, divergent, skipped, keep=keep) if divergent.inside else function


def sides_to_skip(
    function: Function,
    divergent: Divergent,
    shapes: LaneShapes,
    policy: SkipPolicy,
    lanes: int,
    weigh: Weigh,
    machine: Machine,
) -> Mapping[str, str]:
    """The sides of divergent branches that are skipped when none of so many lanes is active there, by the blocks that branch."""
    if policy == "none" or not divergent.inside or divergent.region is None:
        return {}
    least = test(machine) if policy == "auto" else 0
    guarded = _guarded_blocks(function, shapes, divergent.branches, divergent.region)
    return expensive_sides(
        function, divergent.inside, divergent.region, least=least, threads=lanes, weigh=weigh, guarded=guarded
    )


def _guarded_blocks(function: Function, shapes: LaneShapes, divergent: Collection[str], region: frozenset[str]) -> frozenset[str]:
    """The blocks with something that is done once for all lanes, and under a condition only when one of them is there.

    These are branches that all lanes take together, and loads from one address. An address that stays the same in the brushed
    loop is known long before the loop needs it, and so is what is there: such a load causes no delay.
    """
    homes = defining_blocks(function)

    def once(instruction: Instruction) -> bool:
        if not isinstance(instruction, Load) or shapes.of(instruction.pointer):
            return False
        return isinstance(instruction.pointer, Var) and homes[instruction.pointer.name] in region

    def together(block: Block) -> bool:
        return isinstance(block.terminator, Branch) and block.label not in divergent

    blocks = (block for block in function.blocks if block.label in region)
    return frozenset(block.label for block in blocks if together(block) or any(map(once, block.body)))


def weigher(shapes: LaneShapes, lanes: int, width: int, apart: Callable[[Load | Store], bool]) -> Weigh:
    """How many machine instructions an instruction of the body becomes for `lanes` lanes in registers of `width` bits.

    `apart`: whether the lanes of an access touch no neighbouring elements.
    """

    def weigh(instruction: Instruction) -> int:
        value = instruction.value if isinstance(instruction, Store) else instruction.result
        if value is None or not (shapes.of(value) or isinstance(instruction, Store)):
            return 1
        registers = max(1, lanes * bits_of(value.type) // width)
        match instruction:
            case Load() | Store():
                return lanes if apart(instruction) else 2 * registers
            case Call(callee=callee):
                return registers if exact_name(callee) else CALL * lanes
            case Binary(op=op) if op == "fdiv":
                return DIVISION * registers
            case Binary(op=op) if op in DIVISIONS:
                return DIVISION * lanes
            case _:
                return registers

    return weigh
