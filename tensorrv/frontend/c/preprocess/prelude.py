"""Builtin functions of compilers that can be written in C: `headers/builtins.h`, read once.

What they compute is inlined as that of functions of the user's own file; their names are those of gcc.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tensorrv.frontend.c.parse.parser import parse
from tensorrv.frontend.c.preprocess.preprocessor import HEADERS, preprocess
from tensorrv.frontend.c.tree.nodes import TypedFunction

if TYPE_CHECKING:
    from tensorrv.frontend.c.analyse.functions import Program


@cache
def prelude() -> Program:
    """The analysed functions and declared names of `builtins.h`."""
    from tensorrv.frontend.c.analyse.functions import analyse  # whose expressions may call what is built in

    path = HEADERS / "builtins.h"
    program = analyse(parse(preprocess("<builtins.h>", path.read_text(), (), (), HEADERS, {})))
    assert not program.problems and not program.unsupported
    return program


def built_in(name: str) -> TypedFunction | None:
    """The builtin function of this name."""
    return prelude().functions.get(name) if name.startswith("__builtin_") else None
