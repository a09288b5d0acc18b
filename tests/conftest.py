"""Expected texts beside their inputs, regenerated with `pytest --bless`; programs for AArch64 under emulation."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

# what is tested is compiled now; tests of the cache choose a directory
os.environ["TENSORRV_CACHE"] = "off"

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


@pytest.fixture
def aarch64(tmp_path: Path) -> Callable[..., str]:
    """A function that compiles and links C and object files for AArch64, runs them, and gives what they print."""
    if platform.machine() in ("aarch64", "arm64"):
        compiler, runner = ["gcc"], list[str]()
    else:
        compiler, runner = ["aarch64-linux-gnu-gcc"], ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]
    for tool in (compiler[0], *runner[:1]):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")

    def build_and_run(*files: Path) -> str:
        program = tmp_path / "program"
        subprocess.run([*compiler, "-O1", "-o", str(program), *map(str, files), "-lm"], check=True)
        return subprocess.run([*runner, str(program)], capture_output=True, text=True, check=True).stdout

    return build_and_run


@pytest.fixture(autouse=True)
def no_results_of_others(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What somebody tuned on this machine must not decide what `auto` means in tests."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.getbasetemp() / "data"))
