"""Code for AArch64 without such a machine: instructions and cycles for each iteration, of ours, gcc -O3 and clang -O3.

    python benchmarks/traced.py [FUNCTION ...] [--core neoverse-v1] [--source benchmarks/forms/pixels.c]

Each function runs under qemu-aarch64, one instruction at a time, for two lengths; what the longer run executes more is given to
llvm-mca as a straight line. So cycles are those of the core's ports and latencies with all data in the nearest cache. Brushes are
those of `--brush auto` for NEON; gcc and clang get no more features than that.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from llvm_mca import find_mca, mca_cycles
from names import check_known

from autotune.automatic import compile_automatically
from rv.target.machine import resolve_target
from tensorrv.frontend.c.module import parse_c
from tensorrv.interface.facts import interface_of
from tensorrv.schedule.plan import Plan
from tensorrv.unit.unit import Unit

COMPILERS: Final = {
    "gcc": ["aarch64-linux-gnu-gcc"],
    "clang": ["clang-19", "--target=aarch64-linux-gnu"],
}
LENGTHS: Final = (1024, 3072)
ROOM: Final = 1 << 16


def objects(function: Unit, source: Path, scratch: Path) -> dict[str, Path]:
    """Object files of the function by their compiler."""
    kernel = compile_automatically(function, Plan(auto=True), resolve_target("neon"), {"n": LENGTHS[1]})
    found = {"ours": scratch / f"{function.name}.o"}
    found["ours"].write_bytes(kernel.module.object)
    for name, command in COMPILERS.items():
        found[name] = scratch / f"{name}.o"
        if not found[name].exists():
            subprocess.run([*command, "-O3", "-ffp-contract=off", "-w", "-c", str(source), "-o", str(found[name])], check=True)
    return found


def program(function: Unit, code: Path, scratch: Path) -> Path:
    """A program that calls the function for the length of its argument."""
    signature = interface_of(function).signature
    arrays = {array.name for array in signature.arrays}
    arguments = [f"room[{k}]" if a.name in arrays else "n" if a.name == "n" else "77" for k, a in enumerate(signature.arguments)]
    driver = scratch / "driver.c"
    driver.write_text(
        f"#include <stdlib.h>\nvoid {function.name}();\nstatic _Alignas(64) char room[8][{ROOM}];\n"
        f"int main(int c, char **v) {{ int n = atoi(v[1]); {function.name}({', '.join(arguments)}); return 0; }}\n"
    )
    output = scratch / "program"
    gcc = COMPILERS["gcc"][0]
    subprocess.run([gcc, "-w", "-static", str(driver), str(code), "-o", str(output), "-lm"], check=True)
    return output


def executed(name: str, binary: Path, length: int) -> list[str]:
    """The instructions of the function in the order in which they run."""
    listing = subprocess.run(
        ["aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", f"--disassemble={name}", str(binary)],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    rows = re.findall(r"^\s+([0-9a-f]+):\s+(.*)$", listing, re.MULTILINE)
    text = {int(address, 16): row.partition("//")[0].strip() for address, row in rows}
    low, high = min(text), max(text)
    log = binary.with_suffix(".log")
    run = ["qemu-aarch64", "-singlestep", "-d", "exec,nochain", "-dfilter", f"{low:#x}..{high:#x}", "-D", str(log)]
    subprocess.run([*run, str(binary), str(length)], check=True, timeout=60)
    places = re.findall(r"\[[0-9a-f]+/([0-9a-f]+)/", log.read_text())
    return [text[int(place, 16)] for place in places if int(place, 16) in text]


def cycles(core: str, instructions: Sequence[str]) -> int:
    """What llvm-mca says of a straight line."""
    line = "\n".join(re.sub(r"[0-9a-f]+ <[^>]*>", "target", text) for text in instructions)
    mca = find_mca()
    found = None if mca is None else mca_cycles(mca, line, core, "aarch64-linux-gnu", 1)
    if found is None:
        sys.exit("llvm-mca is not installed (Debian: llvm-19), or does not take this code")
    return int(found)


def measured(function: Unit, source: Path, core: str, scratch: Path) -> Mapping[str, tuple[float, float]]:
    """Instructions and cycles of an iteration."""
    found = {}
    for name, code in objects(function, source, scratch).items():
        binary = program(function, code, scratch)
        runs = [executed(function.name, binary, length) for length in LENGTHS]
        more = LENGTHS[1] - LENGTHS[0]
        counts, times = [len(run) for run in runs], [cycles(core, run) for run in runs]
        found[name] = (counts[1] - counts[0]) / more, (times[1] - times[0]) / more
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*", help="all unless named")
    parser.add_argument("--core", default="neoverse-v1")
    parser.add_argument("--source", type=Path, default=Path(__file__).parent / "forms" / "pixels.c")
    options = parser.parse_args()
    check_known(parser, options.functions, [function.name for function in parse_c(options.source).functions])
    print(f"{'cycles of 64 iterations':28} {'ours':>8} {'gcc':>8} {'clang':>8}   over the better   instructions of 64")
    with tempfile.TemporaryDirectory() as scratch:
        for function in parse_c(options.source).functions:
            if options.functions and function.name not in options.functions:
                continue
            found = measured(function, options.source, options.core, Path(scratch))
            times = {name: 64 * time for name, (_, time) in found.items()}
            better = min(times["gcc"], times["clang"])
            counts = " ".join(f"{64 * count:6.1f}" for count, _ in found.values())
            columns = " ".join(f"{times[name]:8.2f}" for name in ("ours", "gcc", "clang"))
            print(f"{function.name:28} {columns} {better / times['ours']:9.2f}x        {counts}", flush=True)


if __name__ == "__main__":
    main()
