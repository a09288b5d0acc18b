"""Which nests are left to the compiler although a brush on them is legal."""

from __future__ import annotations

from pathlib import Path

from tests.cc.compilers import compiled, needs_gcc

pytestmark = needs_gcc

UNROLLED = """\
float a[32000], b[32000];
void unrolled(float x)
{
    for (int i = 0; i < 32000; i += 4) {
        a[i] += x * b[i];
        a[i + 1] += x * b[i + 1];
        a[i + 2] += x * b[i + 2];
        a[i + 3] += x * b[i + 3];
    }
    for (int i = 0; i < 32000; i++)
        b[i] = a[i] < 0 ? -x : a[i] * a[i];
}
"""


def test_loops_that_are_unrolled_by_hand_stay(tmp_path: Path) -> None:
    source = tmp_path / "unrolled.c"
    source.write_text(UNROLLED)
    words = ("-O3", "-march=x86-64-v4", "-c", str(source), "-o", str(tmp_path / "unrolled.o"))
    report = compiled(tmp_path, *words)
    assert f"{source}:4:5: nest in unrolled: left to the compiler: TRV505: the loop over `i` is unrolled by hand" in report
    assert f"{source}:10:5: nest in unrolled: brush" in report
    assert "2 of 2" in compiled(tmp_path, "--tensorrv-all", *words)
