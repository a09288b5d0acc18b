"""Hints of the user about a loop: facts that no analysis could find, and preferences. They belong to the loop's header.

    for.i: hints "threads", "simd", "safelen 8", "aligned a:64"
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Literal

from rv.ir.source import Span

Independence = Literal["", "assumed", "lanes", "threads"]
STRENGTH: Final[tuple[Independence, ...]] = ("", "assumed", "lanes", "threads")
"""What is known about the independence of iterations, weakest first.

"assumed": dependences that are not proved do not exist. "lanes": iterations that run in lock step do not depend on each other.
"threads": neither do iterations that run at the same time in any order.
"""


@dataclass(frozen=True, slots=True)
class LoopHints:
    """Facts: `independent`, for `safelen` consecutive iterations or (None) all, and `aligned`, pointers with alignments in
    bytes. Preferences: `simd`, lanes in this loop; `simdlen` of them; `nontemporal`, arrays with non-temporal stores;
    `novector`, no lanes in this loop and in all loops inside. `withdrawn`: the reason why a pragma has no effect.
    """

    independent: Independence = ""
    safelen: int | None = None
    aligned: tuple[tuple[str, int], ...] = ()
    simd: bool = False
    simdlen: int | None = None
    nontemporal: tuple[str, ...] = ()
    novector: bool = False
    withdrawn: str = ""
    withdrawn_at: Span | None = field(default=None, compare=False)

    def also(self, other: LoopHints) -> LoopHints:
        """The hints of two pragmas before one loop."""
        lengths = [hints.safelen for hints in (self, other) if hints.independent]
        doubt = self if self.withdrawn else other
        independent = max(self.independent, other.independent, key=STRENGTH.index)
        return LoopHints(
            independent=independent,
            safelen=max((n for n in lengths if n is not None), default=None) if None not in lengths else None,
            aligned=tuple(dict.fromkeys((*self.aligned, *other.aligned))),
            simd=self.simd or other.simd,
            simdlen=other.simdlen if self.simdlen is None else self.simdlen,
            nontemporal=tuple(dict.fromkeys((*self.nontemporal, *other.nontemporal))),
            novector=self.novector or other.novector,
            withdrawn="" if independent else doubt.withdrawn,
            withdrawn_at=None if independent else doubt.withdrawn_at,
        )

    def without_promise(self, why: str, at: Span | None = None) -> LoopHints:
        """The hints without the independence of iterations, if they contain it."""
        if not self.independent:
            return self
        return replace(self, independent="", safelen=None, withdrawn=why, withdrawn_at=at)


NO_HINTS: Final = LoopHints()


def hint_texts(hints: LoopHints) -> tuple[str, ...]:
    """The hints as words, in one order."""
    found: list[str] = [hints.independent] if hints.independent else []
    found += ["simd"] if hints.simd else []
    found += [f"{name} {n}" for name, n in (("simdlen", hints.simdlen), ("safelen", hints.safelen)) if n is not None]
    found += [f"nontemporal {' '.join(hints.nontemporal)}"] if hints.nontemporal else []
    found += [f"aligned {' '.join(f'{name}:{n}' for name, n in hints.aligned)}"] if hints.aligned else []
    found += ["novector"] if hints.novector else []
    return (*found, f"withdrawn {hints.withdrawn}") if hints.withdrawn else tuple(found)


def with_hint(hints: LoopHints, text: str) -> LoopHints:
    """The hints with one of the texts of `hint_texts` added; ValueError when it is none."""
    word, _, rest = text.partition(" ")
    match word:
        case "assumed" | "lanes" | "threads" if not rest:
            return replace(hints, independent=word)
        case "simd" if not rest:
            return replace(hints, simd=True)
        case "novector" if not rest:
            return replace(hints, novector=True)
        case "simdlen":
            return replace(hints, simdlen=int(rest))
        case "safelen":
            return replace(hints, safelen=int(rest))
        case "nontemporal":
            return replace(hints, nontemporal=tuple(rest.split()))
        case "aligned":
            return replace(hints, aligned=tuple((name, int(n)) for name, n in (item.split(":") for item in rest.split())))
        case "withdrawn":
            return replace(hints, withdrawn=rest)
        case _:
            raise ValueError(f"'{text}' is no hint about a loop")
