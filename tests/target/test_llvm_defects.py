"""What `rv.target.llvm_defects` works around: LLVM still gets it wrong without that.

Each file holds a function and a pattern of the wrong machine code. A test that fails after an upgrade of LLVM says that the
work-around can go.
"""

import re
from pathlib import Path

import pytest

from rv.ir.parser import parse_function
from rv.target import llvm
from rv.target.llvm_defects.known import HIDDEN, STORED, fences
from rv.target.machine import resolve_target

FILES = sorted((Path(__file__).parent / "llvm_defects").glob("*.ll"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_llvm_is_still_wrong(path):
    defect, target = path.stem.split(".")
    first, _, text = path.read_text().partition("\n")
    assembly = llvm.emit_assembly(text, resolve_target(target))
    pattern = first.removeprefix("; wrong: ")
    assert re.search(pattern, assembly, re.MULTILINE), f"LLVM is right now, remove what hides {defect}:\n{assembly}"


def test_every_defect_has_such_a_file():
    assert {path.stem.partition(".")[0] for path in FILES} == {*HIDDEN, *STORED}


PLAIN = """
define double @f(double %x, double %y, float %z) {
entry:
  %wide = fpext float %z to double
  %less = fcmp olt double %x, %y
  %low = select %less, double %x, %y
  %more = fcmp ogt double %low, 0x1.0000000000000p+0
  %high = select %more, double %low, 0x1.0000000000000p+0
  %sum = fadd double %high, %wide
  return double %sum
}
"""


def test_what_x86_does_rightly_has_no_fences():
    """Minima and maxima of what is compared stay instructions."""
    function = parse_function(PLAIN)
    assert fences(function, "x86_64").before == {}
    assert set(fences(function, "aarch64").before) == {"more"}
