"""The contents of `#pragma omp declare simd`: the vector versions of a function, and what their callers guarantee."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SimdDeclaration:
    """One pragma. Parameters that neither `uniform` nor `linear` names are varying.

    `linear` pairs parameters with steps, as the user writes them: elements for a pointer, a number or the name of a uniform
    parameter. `aligned` pairs pointers with alignments in bytes. `simdlen` is None when the target's registers decide.
    `inbranch`: True, only versions with a mask; False, only versions without; None: both.
    """

    uniform: tuple[str, ...] = ()
    linear: tuple[tuple[str, int | str], ...] = ()
    aligned: tuple[tuple[str, int], ...] = ()
    simdlen: int | None = None
    inbranch: bool | None = None

    @property
    def pragma(self) -> str:
        """The pragma in canonical spelling."""
        clauses = [f"uniform({', '.join(self.uniform)})"] if self.uniform else []
        clauses += [f"linear({name}:{step})" for name, step in self.linear]
        clauses += [f"aligned({name}:{alignment})" for name, alignment in self.aligned]
        if self.simdlen is not None:
            clauses.append(f"simdlen({self.simdlen})")
        if self.inbranch is not None:
            clauses.append("inbranch" if self.inbranch else "notinbranch")
        return " ".join(("#pragma omp declare simd", *clauses))
