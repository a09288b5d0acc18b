"""The directives of OpenMP 5.2, with what follows them and their effect on hints of enclosing loops (docs/openmp.md).

Directives are combined from parts: `target teams distribute parallel for simd` has the clauses of all six. A kernel runs every
region in the calling thread, as a team of one thread does. What remains is whether iterations that a hint declares
independent depend on each other in a region: constructs that order them do.
"""

from __future__ import annotations

from typing import Final, Literal

PARTS: Final[dict[str, frozenset[str]]] = {
    name: frozenset(clauses.split())
    for name, clauses in {
        "parallel": "allocate copyin default firstprivate if num_threads private proc_bind reduction shared",
        "for": "allocate collapse firstprivate lastprivate linear nowait order ordered private reduction schedule",
        "simd": "aligned collapse if lastprivate linear nontemporal order private reduction safelen simdlen",
        "distribute": "allocate collapse dist_schedule firstprivate lastprivate order private",
        "loop": "bind collapse lastprivate order private reduction",
        "taskloop": "allocate collapse default final firstprivate grainsize if in_reduction lastprivate mergeable nogroup"
        " num_tasks priority private reduction shared untied",
        "teams": "allocate default firstprivate num_teams private reduction shared thread_limit",
        "target": "allocate defaultmap depend device firstprivate has_device_addr if in_reduction is_device_ptr map nowait"
        " private thread_limit uses_allocators",
        "task": "affinity allocate default depend detach final firstprivate if in_reduction mergeable priority private shared"
        " untied",
        "sections": "allocate firstprivate lastprivate nowait private reduction",
        "single": "allocate copyprivate firstprivate nowait private",
        "scope": "allocate firstprivate nowait private reduction",
        "masked": "filter",
        "master": "",
    }.items()
}
"""The parts that directives are combined from, with their clauses."""
LOOPS: Final = frozenset({"for", "simd", "distribute", "loop", "taskloop"})
"""The parts that a loop follows."""
TEAMS: Final = frozenset({"parallel", "teams"})
"""The parts that make a team, whose threads have variables of their own."""
WITHOUT_ARGUMENTS: Final = frozenset("nowait inbranch notinbranch nogroup untied mergeable".split())
MAY_LACK_ARGUMENTS: Final = frozenset({"ordered"})

Follows = Literal["statement", "loop", "nothing"]

OTHERS: Final[dict[str, tuple[Follows, bool]]] = {
    "section": ("statement", False),
    "critical": ("statement", True),
    "atomic": ("statement", True),
    "ordered": ("statement", True),
    "taskgroup": ("statement", True),
    "dispatch": ("statement", True),
    "assume": ("statement", False),
    "target data": ("statement", True),
    "tile": ("loop", False),
    "unroll": ("loop", False),
    "metadirective": ("nothing", True),
    "begin metadirective": ("nothing", True),
    "end metadirective": ("nothing", False),
    "barrier": ("nothing", True),
    "taskwait": ("nothing", True),
    "taskyield": ("nothing", True),
    "flush": ("nothing", True),
    "depobj": ("nothing", True),
    "scan": ("nothing", True),
    "cancel": ("nothing", True),
    "cancellation point": ("nothing", True),
    "interop": ("nothing", True),
    "target enter data": ("nothing", True),
    "target exit data": ("nothing", True),
    "target update": ("nothing", True),
    "threadprivate": ("nothing", False),
    "allocate": ("nothing", False),
    "assumes": ("nothing", False),
    "begin assumes": ("nothing", False),
    "end assumes": ("nothing", False),
    "declare mapper": ("nothing", False),
    "declare reduction": ("nothing", False),
    "declare simd": ("nothing", False),
    "declare target": ("nothing", False),
    "begin declare target": ("nothing", False),
    "end declare target": ("nothing", False),
    "declare variant": ("nothing", False),
    "begin declare variant": ("nothing", False),
    "end declare variant": ("nothing", False),
    "error": ("nothing", False),
    "nothing": ("nothing", False),
    "requires": ("nothing", False),
}
"""The directives that are not combined: what follows them, and whether they withdraw hints of enclosing loops."""
OF_COMPILERS: Final = frozenset({"ivdep", "GCC ivdep", "novector", "clang loop"})
"""Pragmas about lanes of the loop that follows."""
ORDERING_PARTS: Final = frozenset({"task", "taskloop", "target"})
"""The parts that withdraw hints of enclosing loops: tasks wait for each other by clauses."""
OF_DECLARE_SIMD: Final = frozenset("simdlen uniform linear aligned inbranch notinbranch".split())


def directive_words(words: list[str]) -> tuple[str, ...]:
    """The words at the beginning that name a directive; none when they do not."""
    for count in (3, 2, 1):
        if " ".join(words[:count]) in OTHERS:
            return tuple(words[:count])
    count = next((k for k, word in enumerate(words) if word not in PARTS), len(words))
    return tuple(words[:count])


def follows(words: tuple[str, ...]) -> Follows:
    """What stands behind a directive."""
    if (other := OTHERS.get(" ".join(words))) is not None:
        return other[0]
    if " ".join(words) in OF_COMPILERS:
        return "loop"
    return "loop" if LOOPS.intersection(words) else "statement"


def orders_iterations(words: tuple[str, ...]) -> bool:
    """Whether iterations of enclosing loops may depend on each other in the directive's region."""
    if (other := OTHERS.get(" ".join(words))) is not None:
        return other[1]
    return bool(ORDERING_PARTS.intersection(words))


def clauses_of(words: tuple[str, ...]) -> frozenset[str]:
    """The clauses of a combined directive."""
    return frozenset().union(*(PARTS[word] for word in words))
