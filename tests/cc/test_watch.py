"""Programs that compare their nests with the originals, and programs that measure them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tensorrv.frontend.outline.calls import call_of
from tensorrv.frontend.outline.program import Lowered, Site
from tests.cc.compilers import FILES, compiled, needs_gcc

pytestmark = needs_gcc

STRICT = ("-w", "-O3", "-march=native")


def log(directory: Path) -> str:
    """What a program reports."""
    path = directory / "log"
    environment = {"TENSORRV_LOG": str(path), "OMP_NUM_THREADS": "2"}
    done = subprocess.run([directory / "program"], env=environment, capture_output=True, check=False)
    assert done.returncode == 0 and done.stderr == b""
    return path.read_text()


@pytest.mark.parametrize("name", ["passing.c", "threads.c"])
def test_nests_are_compared_with_the_originals(tmp_path: Path, name: str) -> None:
    compiled(tmp_path, "--tensorrv-verify", *STRICT, str(FILES / name), "-o", str(tmp_path / "program"))
    found = log(tmp_path)
    assert "1 calls, 1 compared with the original, 0 left out, 0 different" in found
    assert "differs" not in found and "left out, 1" not in found


def test_a_difference_is_found_in_an_array_and_in_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(site: Site, lowered: Lowered) -> str:
        assert site.made is not None
        name = "s" if any(argument.is_result for argument in site.made.arguments) else "a[3]"
        return f"{call_of(site, lowered)} {name} += 1;"

    source = tmp_path / "program.c"
    source.write_text(
        "#include <stdio.h>\n"
        "static int a[100];\n"
        "int main(void) {\n"
        "    int s = 0;\n"
        "    for (int i = 0; i < 100; i++) a[i] = i * 3;\n"
        "    for (int i = 0; i < 100; i++) s += a[i];\n"
        '    printf("%d\\n", s);\n'
        "    return 0;\n"
        "}\n"
    )
    monkeypatch.setattr("tensorrv.cli.cc.watch.call_of", wrong)
    compiled(tmp_path, "--tensorrv-verify", *STRICT, str(source), "-o", str(tmp_path / "program"))
    found = log(tmp_path)
    assert f"{source}:5:5: nest in main: the nest differs from the original" in found
    assert f"{source}:6:5: nest in main: the nest differs from the original" in found
    assert found.count("1 different") == 2


def test_nests_are_not_compared_while_there_are_several_threads(tmp_path: Path) -> None:
    compiled(tmp_path, "--tensorrv-verify", *STRICT, "-fopenmp", str(FILES / "threads.c"), "-o", str(tmp_path / "program"))
    # a critical section of two threads
    assert "2 calls, 0 compared with the original, 2 left out, 0 different" in log(tmp_path)


PROFILED = """\
static float a[1000], b[1000];
__attribute__((noinline)) static void step(int n)
{
    for (int i = 1; i < n; i++)
        a[i] = b[i] * 2 + b[i - 1];
}
int main(void) { for (int k = 0; k < 200; k++) { step(1000); __asm__ volatile("" : : : "memory"); } return a[5] != 0; }
"""


def test_a_profile_and_its_use(tmp_path: Path) -> None:
    source, program = tmp_path / "program.c", str(tmp_path / "program")
    source.write_text(PROFILED)
    compiled(tmp_path, "--tensorrv-all", "--tensorrv-profile", *STRICT, str(source), "-o", program)
    found = log(tmp_path)
    assert f"tensorrv-cc: {source}:4:5: nest in step: 200 calls, ours " in found and " is faster\n" in found
    slower = tmp_path / "slower"
    slower.write_text(f"tensorrv-cc: {source}:4:5: nest in step: 200 calls, ours 2 us, original 1 us, the original is faster\n")
    report = compiled(tmp_path, "--tensorrv-all", f"--tensorrv-use={slower}", *STRICT, str(source), "-o", program)
    assert "by its profile the compiler's code is faster" in report
