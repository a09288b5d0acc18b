"""Expected texts beside their inputs, regenerated with `pytest --bless`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

SEPARATOR = "; becomes\n"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="rewrite expected texts with what the program gives now")


Check = Callable[[Path, Callable[[str], str]], None]


@pytest.fixture
def check_case(request: pytest.FixtureRequest) -> Check:
    """`check_case(path, produce)`: the file holds an input, the line "; becomes", and what `produce(input)` must be."""
    bless = bool(request.config.getoption("--bless"))

    def check(path: Path, produce: Callable[[str], str]) -> None:
        given, _, expected = path.read_text().partition(SEPARATOR)
        found = produce(given)
        if bless and found != expected:
            path.write_text(f"{given.rstrip()}\n{SEPARATOR}{found}")
        else:
            assert found == expected, f"{path.name}: run `pytest --bless` if the new text is right"

    return check
