"""Our standard headers against those of gcc: every macro that is a number has the same value and type."""

from __future__ import annotations

import ctypes
import math
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rv.ir.types import FloatType, IntType
from rv.semantics.memory import Memory
from rv.semantics.scalar import run
from tensorrv.frontend.c.module import parse_c
from tensorrv.frontend.c.preprocess.preprocessor import HEADERS
from tensorrv.unit.unit import Module, Unit

NAMES = sorted(str(path.relative_to(HEADERS)) for path in HEADERS.rglob("*.h") if path.name not in ("builtins.h", "complex.h"))
INCLUDES = "".join(f"#include <{name}>\n" for name in NAMES)
TYPES = "int, unsigned, long, unsigned long, long long, unsigned long long, float, double".split(", ")


def macros() -> list[str]:
    """The macros of our headers that have no parameters and a value."""
    text = "\n".join((HEADERS / name).read_text() for name in NAMES)
    found = re.findall(r"^#define (\w+) (?!\")\S", text, re.MULTILINE)
    return [name for name in dict.fromkeys(found) if name not in NO_NUMBERS]


NO_NUMBERS = {"NULL", "noreturn", "alignas", "alignof", "bool", "errno", "stdin", "MAP_FAILED", "SIG_DFL", "SIG_IGN"} | {
    "and", "and_eq", "bitand", "bitor", "compl", "not", "not_eq", "or", "or_eq", "xor", "xor_eq",
}  # fmt: skip


def program(names: list[str]) -> str:
    choices = ", ".join(f"{type_}: {k}" for k, type_ in enumerate(TYPES, 1))
    functions = [
        f"__typeof__({name}) value_{name}(void) {{ return {name}; }}\n"
        f"int type_{name}(void) {{ return _Generic({name}, {choices}); }}\n"
        for name in names
    ]
    return f"#define _GNU_SOURCE\n{INCLUDES}{''.join(functions)}"


def ours(module: Module, name: str) -> Any:
    return run(module.function(name).function, [], Memory())


def theirs(library: Any, function: Unit) -> Any:
    entry = getattr(library, function.name)
    match function.function.result:
        case FloatType(bits):
            entry.restype = ctypes.c_double if bits == 64 else ctypes.c_float
        case IntType(bits):
            entry.restype = ctypes.c_int64 if bits == 64 else ctypes.c_int32
        case _:
            raise AssertionError(function.name)
    return entry()


def test_every_macro_has_the_value_and_type_of_gcc(tmp_path: Path) -> None:
    names = macros()
    assert len(names) > 450
    source, library = tmp_path / "macros.c", tmp_path / "macros.so"
    source.write_text(program(names))
    subprocess.run(["gcc", "-std=gnu11", "-w", "-O0", "-fPIC", "-shared", "-o", library, source], check=True)
    module = parse_c(source)
    assert not module.passed_over and not module.problems, (module.passed_over[:3], module.problems[:3])
    loaded = ctypes.CDLL(str(library))
    for function in module.functions:
        if function.name.startswith(("value_", "type_")):
            expected, found = theirs(loaded, function), ours(module, function.name)
            if isinstance(function.function.result, IntType):
                expected, found = (number % (1 << function.function.result.bits) for number in (expected, found))
            assert found == expected or (math.isnan(found) and math.isnan(expected)), (function.name, found, expected)


LAYOUTS = {
    "struct timeval": "tv_sec tv_usec",
    "struct timespec": "tv_sec tv_nsec",
    "struct tm": "tm_sec tm_min tm_year tm_isdst tm_gmtoff tm_zone",
    "struct itimerval": "it_interval it_value it_value.tv_usec",
    "struct rusage": "ru_utime ru_stime ru_maxrss ru_nivcsw",
    "struct tms": "tms_utime tms_cstime",
    "struct timezone": "tz_minuteswest tz_dsttime",
    "struct option": "name has_arg flag val",
    "div_t": "quot rem",
    "ldiv_t": "quot rem",
}


def test_members_are_where_gcc_has_them(tmp_path: Path) -> None:
    places = [f"offsetof({type_}, {member})" for type_, members in LAYOUTS.items() for member in members.split()]
    values = [*places, *(f"sizeof({type_})" for type_ in LAYOUTS)]
    functions = "".join(f"long value_{k}(void) {{ return {value}; }}\n" for k, value in enumerate(values))
    source, library = tmp_path / "layouts.c", tmp_path / "layouts.so"
    source.write_text(f"#define _GNU_SOURCE\n{INCLUDES}{functions}")
    subprocess.run(["gcc", "-std=gnu11", "-w", "-O0", "-fPIC", "-shared", "-o", library, source], check=True)
    module, loaded = parse_c(source), ctypes.CDLL(str(library))
    for k, value in enumerate(values):
        function = module.function(f"value_{k}")
        assert ours(module, function.name) == theirs(loaded, function), value


@pytest.mark.parametrize("header", [name for name in NAMES if name != "tgmath.h"])
def test_every_prototype_and_type_is_that_of_the_system(header: str, tmp_path: Path) -> None:
    """For a C compiler that sees both; structs can be declared once only, and some types are left incomplete."""
    incomplete = "pthread_|FILE|fenv_t|fexcept_t|omp_|itimer\\(|__assert_fail"
    kept: list[str] = []
    inside = False
    for line in (HEADERS / header).read_text().split("\n"):
        inside |= "{" in line
        if not inside and line and not line.startswith("#") and not re.search(incomplete, line):
            kept.append(line)
        inside &= "}" not in line
    tags = "|".join(LAYOUTS).replace("struct ", "")
    text = re.sub(rf"^.*\b(?:{tags}) \{{.*$", "", "\n".join(kept), flags=re.MULTILINE)
    includes = INCLUDES.replace("#include <tgmath.h>", "")
    (tmp_path / "both.c").write_text(f"#define _GNU_SOURCE\n#define __NO_CTYPE\n{includes}{text}\n")
    subprocess.run(["gcc", "-std=gnu11", "-w", "-fopenmp", "-c", "both.c"], cwd=tmp_path, check=True)


def test_the_values_are_those_of_the_other_machine_too(tmp_path: Path) -> None:
    """What differs from machine to machine is not in our headers: there is one front end for all targets."""
    compiler = shutil.which("aarch64-linux-gnu-gcc")
    if compiler is None:
        pytest.skip("needs aarch64-linux-gnu-gcc")
    names = [name for name in macros() if not name.startswith(("CHAR_M", "FP_ILOGB"))]
    for machine, name in (("gcc", "a.s"), (compiler, "b.s")):
        text = program(names) + "".join(f"__typeof__({name}) datum_{name} = {name};\n" for name in names if name != "MB_CUR_MAX")
        (tmp_path / "m.c").write_text(text)
        options = ["-std=gnu11", "-w", "-S", "-O1", "-fno-asynchronous-unwind-tables", "-o", name, "m.c"]
        subprocess.run([machine, *options], cwd=tmp_path, check=True)
    first, second = (data((tmp_path / name).read_text()) for name in ("a.s", "b.s"))
    assert first == second and len(first) > 440


def data(assembly: str) -> dict[str, tuple[int, ...]]:
    """The numbers of each datum in assembly, whatever the directives are called."""
    found: dict[str, list[int]] = {}
    current = ""
    for line in assembly.split("\n"):
        if match := re.match(r"(datum_\w+):", line):
            current = match[1]
            found[current] = []
        elif current and (match := re.match(r"\s*\.(long|quad|word|xword|value|byte|hword|zero)\s+(-?\w+)", line)):
            size = 1 << 64 if match[1] in ("quad", "xword") else 1 << 32
            found[current].append(0 if match[1] == "zero" else int(match[2], 0) % size)
        elif current and not line.startswith("\t."):
            current = ""
    for numbers in found.values():
        while numbers and numbers[-1] == 0:  # also what fills up to the next datum
            numbers.pop()
    return {name: tuple(numbers) for name, numbers in found.items()}


@pytest.mark.parametrize("header", ["float.h", "limits.h", "stdint.h", "errno.h", "inttypes.h", "math.h"])
def test_no_macro_of_the_standard_is_missing(header: str) -> None:
    def defined(text: str, *options: str) -> set[str]:
        listed = subprocess.run(["gcc", "-std=c11", "-E", "-dM", *options, "-"], input=text, text=True, capture_output=True)
        return set(re.findall(r"^#define ([A-Za-z]\w*)", listed.stdout, re.MULTILINE))

    text = f"#include <{header}>\n"
    other = re.compile(r"LDBL_|DECIMAL_DIG|PTHREAD_|.*_MAX$|WCHAR_|FP_ILOGB|HUGE_VALL|__")
    standard = {"CHAR_MAX", "INT_MAX", "LONG_MAX", "LLONG_MAX", "SIZE_MAX", "UINT_FAST16_MAX", "DBL_MAX", "FLT_MAX"}
    wanted = {name for name in defined(text) - defined("") if not other.match(name) or name in standard}
    path = HEADERS / header
    own = set(re.findall(r"#define (\w+)", path.read_text() + (HEADERS / "stdint.h").read_text()))
    assert wanted - own == set()
