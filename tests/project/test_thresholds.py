"""Numbers that decide about speed are in descriptions of cores and in `rv/cost`; others in code generation are listed here."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
GENERATING = (
    "rv/transform", "rv/widen", "rv/vector", "rv/drivers", "rv/late.py", "tensorrv/brush", "tensorrv/nest", "tensorrv/schedule",
    "tensorrv/pipeline", "autotune/model", "autotune/automatic.py", "autotune/without_brush.py", "layouts",
)  # fmt: skip
"""What decides about code, or takes part in it."""
CODE_SIZE = "how much larger code may become: a limit for the time of compilation"
ANALYSIS = "how far an analysis or a search looks before it says that it does not know"
FORM = "a property of an instruction set, a calling convention, a type or a text"
ACCEPTED = "what a plan or layout may say"
MEASURING = "how something is measured or shown"
OTHERS = {
    "rv/transform/leading_tests.py": {"_MOST": CODE_SIZE},
    "rv/transform/loops/unroll_inner.py": {"MOST_TRIPS": CODE_SIZE, "MOST_INSTRUCTIONS": CODE_SIZE},
    "rv/transform/scalar/promote_objects.py": dict.fromkeys(("MOST_TRIPS", "MOST_PLACES", "MOST_INSTRUCTIONS"), CODE_SIZE),
    "rv/transform/narrow/accumulators.py": {"_DEEPEST": ANALYSIS},
    "rv/transform/narrow/ranges.py": {"DEEP": ANALYSIS},
    "rv/transform/narrow/trees.py": {"SHORT": FORM},
    "rv/widen/across/masks.py": {"NEVER": FORM},
    "rv/widen/arithmetic/sums.py": {"SHORT": FORM, "LEAST_BITS": FORM},
    "rv/widen/memory/object_access.py": {"ALIGNMENT": FORM},
    "rv/vector/interpreter/program.py": {"UNLIMITED": ANALYSIS, "ADDRESSES": FORM},
    "tensorrv/brush/grids.py": {"WIDEST": ANALYSIS},
    "tensorrv/brush/memory/element_masks.py": {"WORD": FORM},
    "tensorrv/brush/memory/interleaved.py": {"IN_WORDS": FORM},
    "tensorrv/brush/memory/placed.py": {"NEAR": ANALYSIS},
    "tensorrv/nest/affine/choices.py": {"_MOST": ANALYSIS},
    "tensorrv/nest/affine/delinearize.py": {"_SHORTEST_ROW": ANALYSIS},
    "tensorrv/nest/affine/derived.py": {"_MOST_CASES": ANALYSIS},
    "tensorrv/nest/affine/periods.py": {"LONGEST": ANALYSIS},
    "tensorrv/nest/affine/size_limits.py": {"_MOST": FORM},
    "tensorrv/nest/affine/spelling.py": {"_DEEPEST": FORM},
    "tensorrv/nest/choice/choose_by_cost.py": {"REPORTED": MEASURING},
    "tensorrv/nest/legality/dependence.py": {"MOST_OPERATIONS": ANALYSIS},
    "tensorrv/nest/legality/local_objects.py": {"MOST_STACK": FORM},
    "tensorrv/nest/legality/proof.py": {"_TRIED": ANALYSIS},
    "tensorrv/nest/legality/replay.py": {"_FUEL": ANALYSIS, "_FAR": ANALYSIS},
    "tensorrv/nest/reorder/triangles.py": {"MOST": ANALYSIS},
    "tensorrv/nest/split/pieces.py": {"SHORT": CODE_SIZE, "MOST": CODE_SIZE},
    "tensorrv/nest/split/split.py": {"MOST_LOOPS": CODE_SIZE, "MOST_INSTRUCTIONS": CODE_SIZE},
    "tensorrv/schedule/plan.py": dict.fromkeys(("MAX_LANES", "MAX_PREFETCH", "MAX_RANK", "MAX_TILE", "MAX_SLOPE"), ACCEPTED),
    "tensorrv/pipeline/drivers/declared.py": {"MOST_REGISTERS": FORM},
    "tensorrv/pipeline/explain/footprint_svg.py": {"CELL": MEASURING, "MOST": MEASURING},
    "tensorrv/pipeline/explain/text.py": {"MAX_CELLS": MEASURING},
    "tensorrv/pipeline/views.py": {"LONGEST": MEASURING},
    "autotune/model/counts.py": {"LINE": FORM},
    "autotune/model/machine.py": {"CYCLES_OF_CHAIN": MEASURING, "REPETITIONS": MEASURING},
    "autotune/model/traffic.py": {"FARTHEST": ANALYSIS},
    "layouts/layout.py": {"MAX_BLOCK": ACCEPTED, "MAX_PADDING": ACCEPTED},
    "layouts/packing.py": {"LINE": FORM},
}
"""Constants with one number and why they need no machine. A threshold for speed belongs in `rv/cost`."""


def numbers(path):
    """The names of the module's constants that are one number."""
    for statement in ast.parse(path.read_text()).body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=value) | ast.Assign(targets=[ast.Name(id=name)], value=value):
                if value is not None and is_number(value):
                    yield name


def is_number(value):
    match value:
        case ast.Constant(value=int() | float() as number):
            return not isinstance(number, bool)
        case ast.BinOp(left=left, right=right):
            return is_number(left) and is_number(right)
        case ast.UnaryOp(operand=operand):
            return is_number(operand)
    return False


def test_speed_is_decided_by_machines_and_the_cost_model():
    paths = [path for name in GENERATING for path in ([ROOT / name] if name.endswith(".py") else (ROOT / name).rglob("*.py"))]
    found = {str(path.relative_to(ROOT)): set(numbers(path)) for path in sorted(paths)}
    assert {path: names for path, names in found.items() if names} == {path: set(reasons) for path, reasons in OTHERS.items()}
