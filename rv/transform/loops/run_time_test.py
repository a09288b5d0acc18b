"""What a proof needs at run time, as code: whether all conditions hold and no two footprints overlap.

    Legal(conditions n - 1 >= 0, overlaps A[0 .. n - 1] and B[0 .. n - 1])

    %check = add i64 %n, -1                                     the conditions
    %check.1 = icmp sge i64 %check, 0
    ...                                                         addresses behind the ends of A and B
    %check.8 = icmp ule i64 %check.4, %check.5                  A ends before B begins
    %check.9 = icmp ule i64 %check.6, %check.7                  B ends before A begins
    %check.10 = or i1 %check.8, %check.9
    %check.11 = and i1 %check.1, %check.10

What may be undefined is frozen (`rv.transform.loops.evaluation`): then conditions about it hold or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rv.evolution.facts import Footprint, Legal, Loop
from rv.evolution.polynomial import Polynomial
from rv.ir.function import Function
from rv.ir.instructions import Instruction
from rv.ir.rewrite import FreshNames
from rv.ir.types import I1, size_of
from rv.ir.values import TRUE, Value, const_i64
from rv.transform.loops.evaluation import Evaluation
from rv.transform.loops.version import Test


def run_time_test(
    function: Function,
    place: str,
    loops: Mapping[str, Loop],
    legal: Legal,
    names: FreshNames,
    before: tuple[Instruction, ...] = (),
) -> Test:
    """The test at the end of the block `place`, behind the instructions `before`, which become part of it.

    Raises NotKnownBefore.
    """
    test = _Test(Evaluation(function, place, loops, names, "check", "a run-time check", list(before)))
    for condition in legal.conditions:
        test.require(test.code.compare("sge", test.code.polynomial(condition.polynomial), const_i64(0)))
    for left, right in legal.overlaps:
        test.require(test.apart(left, right))
    return Test(tuple(test.code.code), test.answer)


@dataclass(slots=True)
class _Test:
    code: Evaluation
    answer: Value = TRUE

    def require(self, truth: Value) -> None:
        self.answer = truth if self.answer == TRUE else self.code.binary("and", self.answer, truth, I1)

    def apart(self, left: Footprint, right: Footprint) -> Value:
        """One footprint ends before the other begins."""
        first, second = self._ends_before(left, right), self._ends_before(right, left)
        return self.code.binary("or", first, second, I1)

    def _ends_before(self, left: Footprint, right: Footprint) -> Value:
        return self.code.compare("ule", self._address(left, left.high + 1), self._address(right, right.low))

    def _address(self, footprint: Footprint, offset: Polynomial) -> Value:
        base = self.code.convert("ptrtoint", self.code.here(footprint.array))
        size = const_i64(size_of(footprint.element))
        return self.code.binary("add", base, self.code.binary("mul", self.code.polynomial(offset), size))
