"""Where a text is nested most deeply: what is shown when reading it takes more recursion than there is.

The depth of a token is the number of brackets that are open around it, of operators before it in its expressions, and of `else`
and statement keywords that its statement hangs on: the depth of the syntax tree there, as nearly as brackets and operators show.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rv.ir.source import Span
from tensorrv.frontend.c.parse.lexer import Token, tokens_of
from tensorrv.frontend.c.preprocess.preprocessor import Preprocessed

_OPENING, _CLOSING, _SEPARATING = frozenset("([{"), frozenset(")]}"), frozenset(";,")
_NESTING: Final = frozenset({"if", "for", "while", "do", "switch"})


def deepest_place(source: Preprocessed) -> Span | None:
    """The place of the first of the tokens that are nested most deeply; None when there are no tokens."""
    tokens = tokens_of(source)
    depths = _depths(tokens)
    return tokens[depths.index(max(depths))].span if depths else None


def _depths(tokens: Iterable[Token]) -> list[int]:
    pending, branches = [0], [0]  # for each open bracket: operators and keywords, and `else`s, that are waited for inside it
    total, previous = 0, ""
    found: list[int] = []
    for token in tokens:
        text = token.text
        if previous in (";", "}") and text != "else":
            total, branches[-1] = total - branches[-1], 0
        if text in _CLOSING and len(pending) > 1:
            total -= pending.pop() + branches.pop() + 1
        if text in _SEPARATING or text == "}":
            total, pending[-1] = total - pending[-1], 0
        elif text == "else":
            total, branches[-1] = total + 1, branches[-1] + 1
        elif text in _NESTING or not (text[0].isalnum() or text[0] in "_\"'" or text in _CLOSING):
            total, pending[-1] = total + 1, pending[-1] + 1
        if text in _OPENING:
            pending.append(0)
            branches.append(0)
            total += 1
        found.append(total)
        previous = text
    return found
