"""Shuffles of shuffles in front of stores: one for each register where two vectors suffice, with the same bytes stored."""

from __future__ import annotations

import pytest

from rv.semantics.memory import Memory
from rv.vector.dead_code import without_dead_code
from rv.vector.interpreter import run
from rv.vector.parser import parse_module
from rv.vector.printer import print_module
from rv.vector.shuffles import with_composed_shuffles
from rv.vector.verify import verify


def function(body: str) -> str:
    return f"""module arrays(p, o)

define void @f(ptr %p, ptr %o) {{
start.0:
  %0: <4 x i8> = load %p in "p" align 1
  %1: ptr = address %p, i64 4 of i8
  %2: <4 x i8> = load %1 in "p" align 1
{body}  return
}}
"""


TREE = """  %3: <4 x i8> = shuffle %0, %2 [0, 2, 4, 6]
  %4: <4 x i8> = shuffle %0, %2 [1, 3, 5, 7]
"""
REVERSED = function(TREE + """  %5: <8 x i8> = shuffle %3, %4 [7, 3, 6, 2, 5, 1, 4, 0]
  store %5, %o in "o" align 1 array o place [0] "o" 8
""")
AFTER = function("""  %.composed.1: <4 x i8> = shuffle %2, <4 x i8> poison [3, 2, 1, 0]
  store %.composed.1, %o in "o" align 1 array o place [0] "o" 4
  %.composed.2: <4 x i8> = shuffle %0, <4 x i8> poison [3, 2, 1, 0]
  %.composed.3: ptr = address %o, i64 4 of i8
  store %.composed.2, %.composed.3 in "o" align 1 array o place [4] "o" 4
""")


def stored(text: str, bits: int) -> tuple[bytes, bytes, str]:
    """The bytes that the function stores as it is and with its shuffles composed, and its text then."""
    results = []
    module = verify(parse_module(text))
    composed = verify(without_dead_code(with_composed_shuffles(module, bits)))
    for one in (module, composed):
        memory = Memory()
        source, target = memory.map("p", bytearray(range(1, 9))), memory.map("o", bytearray(8))
        run(one, "f", [source, target], memory)
        results.append(bytes(target.data))
    return results[0], results[1], print_module(composed)


def test_a_store_of_two_registers() -> None:
    before, after, text = stored(REVERSED, 32)
    assert before == after == bytes(range(8, 0, -1))
    assert text == AFTER


def test_registers_are_aligned_as_their_distance_from_the_first_allows() -> None:
    *_, text = stored(REVERSED.replace("%o in \"o\" align 1", "%o in \"o\" align 8"), 32)
    assert text == AFTER.replace("%o in \"o\" align 1", "%o in \"o\" align 8").replace("3 in \"o\" align 1", "3 in \"o\" align 4")


def test_lanes_that_hold_anything_stay_so() -> None:
    text = function(TREE + """  %5: <4 x i8> = shuffle %3, %4 [0, -1, 4, 5]
  store %5, %o in "o" align 1 array o place [0] "o" 4
""").replace("-1", "_")
    assert "[0, _, 1, 3]" in print_module(without_dead_code(with_composed_shuffles(verify(parse_module(text)), 32)))


KEPT = {
    "shuffles that are read elsewhere": TREE + """  store %3, %o in "o" align 1 array o place [0] "o" 4
  store %4, %o in "o" align 1 array o place [0] "o" 4
  %5: <4 x i8> = shuffle %3, %4 [0, 4, 1, 5]
  store %5, %o in "o" align 1 array o place [0] "o" 4
""",
    "three vectors": TREE + """  %5: <4 x i8> = add %0, %2
  %6: <4 x i8> = shuffle %3, %5 [0, 3, 4, 5]
  store %6, %o in "o" align 1 array o place [0] "o" 4
""",
    "a single shuffle": """  %3: <4 x i8> = shuffle %0, %2 [0, 2, 4, 6]
  store %3, %o in "o" align 1 array o place [0] "o" 4
""",
}


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_what_is_kept(body: str) -> None:
    module = without_dead_code(verify(parse_module(function(body))))
    assert with_composed_shuffles(module, 32) is module
