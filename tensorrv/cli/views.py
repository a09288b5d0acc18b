"""What `--view` requests."""

from __future__ import annotations

from dataclasses import dataclass

from rv.pictures import PICTURES, Picture
from tensorrv.schedule.plan import PlanError


@dataclass(frozen=True, slots=True)
class View:
    """A requested picture, drawn or as text."""

    picture: Picture
    drawn: bool


def parse_views(text: str) -> tuple[View, ...]:
    """The pictures in a list such as `cfg,dom.svg`. Raises PlanError."""
    views = []
    for word in text.split(","):
        name, _, form = word.partition(".")
        found = next((known for known in PICTURES if known == name), None)
        if found is None or form not in ("", "dot", "svg"):
            hint = f"--view takes {', '.join(PICTURES)}, separated by commas, each with .svg for a drawing"
            raise PlanError(f"'{word}' is not a picture", hint)
        views.append(View(found, form == "svg"))
    return tuple(dict.fromkeys(views))
