"""Hints about loops: what two of them say together, and what is left when a promise is withdrawn."""

from __future__ import annotations

from rv.ir.hints import NO_HINTS, LoopHints, hint_texts


def test_the_stronger_promise_holds() -> None:
    lanes, threads = LoopHints("lanes", safelen=8, simd=True), LoopHints("threads")
    assert lanes.also(threads) == LoopHints("threads", simd=True)
    assert lanes.also(LoopHints("lanes", safelen=4)).safelen == 8
    assert LoopHints("assumed").also(lanes).independent == "lanes"
    assert NO_HINTS.also(lanes) == lanes == lanes.also(NO_HINTS)


def test_wishes_outlive_promises() -> None:
    hints = LoopHints("lanes", safelen=8, simd=True, simdlen=4, aligned=(("a", 64),))
    left = hints.without_promise("why")
    assert hint_texts(left) == ("simd", "simdlen 4", "aligned a:64", "withdrawn why")
    assert NO_HINTS.without_promise("why") == NO_HINTS
    assert left.also(LoopHints("threads")).withdrawn == ""
    assert LoopHints(simdlen=2).also(left).withdrawn == "why"
