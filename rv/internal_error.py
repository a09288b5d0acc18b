"""The exception for bugs of this project, as opposed to what is wrong with the user's input."""

from __future__ import annotations


class InternalError(Exception):
    """An invariant is violated. The message contains `detail` and a request to report it."""

    def __init__(self, what: str, detail: str = "") -> None:
        text = f"internal error: {what}\nThis is a bug in TensorRV; please report it together with the input that led here."
        super().__init__(f"{text}\n{detail}" if detail else text)
