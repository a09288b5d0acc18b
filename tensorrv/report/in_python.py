"""Options of the command line in messages, as Python has them: `--fp fast` is `fp="fast"`."""

from __future__ import annotations

import re
from typing import Final

_OPTION: Final = re.compile(
    r"--(fp|math|tail|threads|stores|target|brush|order|tile|skew|split|unroll|assume-parallel|function|vectorizer) "
    r"([A-Za-z0-9_+*=,.|-]*[A-Za-z0-9_])"
)
_FLAG: Final = re.compile(r"--(assume-no-alias|no-strict-aliasing|fuse)\b")
_KEYWORDS: Final = {"no-strict-aliasing": "strict_aliasing=False"}


def in_python(text: str) -> str:
    """The text of a message with keyword arguments for options."""
    text = _OPTION.sub(lambda found: f'{found[1].replace("-", "_")}="{found[2]}"', text)
    return _FLAG.sub(lambda found: _KEYWORDS.get(found[1], f'{found[1].replace("-", "_")}=True'), text)
