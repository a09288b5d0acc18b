"""Comparisons turned around: the opposite question, and the same question with the operands exchanged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rv.ir.instructions import FloatPredicate, IntPredicate

NEGATED: Final[Mapping[IntPredicate, IntPredicate]] = {
    "eq": "ne", "slt": "sge", "sle": "sgt", "ult": "uge", "ule": "ugt",
    "ne": "eq", "sge": "slt", "sgt": "sle", "uge": "ult", "ugt": "ule",
}  # fmt: skip
NEGATED_FLOAT: Final[Mapping[FloatPredicate, FloatPredicate]] = {
    "oeq": "une", "one": "ueq", "olt": "uge", "ole": "ugt", "ogt": "ule", "oge": "ult", "ord": "uno",
    "une": "oeq", "ueq": "one", "uge": "olt", "ugt": "ole", "ule": "ogt", "ult": "oge", "uno": "ord",
}  # fmt: skip
SWAPPED: Final[Mapping[IntPredicate, IntPredicate]] = {
    "eq": "eq", "ne": "ne", "slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle",
    "ult": "ugt", "ugt": "ult", "ule": "uge", "uge": "ule",
}  # fmt: skip
