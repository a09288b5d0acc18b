"""Files that the user's compiler preprocesses, with the system's own headers, and texts with line markers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from rv.ir.hints import NO_HINTS, hint_texts
from tensorrv.frontend.c.module import parse_c
from tensorrv.report.diagnostics import Diagnostic, Refused, render
from tensorrv.unit.unit import Module
from tests.frontend.against_gcc import compare_with_gcc

HEADERS = """
alloca.h assert.h byteswap.h complex.h ctype.h dirent.h endian.h errno.h fcntl.h fenv.h float.h getopt.h immintrin.h inttypes.h
iso646.h libgen.h limits.h locale.h malloc.h math.h memory.h omp.h poll.h pthread.h regex.h sched.h semaphore.h setjmp.h signal.h
stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h strings.h sys/mman.h
sys/resource.h sys/select.h sys/socket.h sys/stat.h sys/time.h sys/times.h sys/types.h sys/utsname.h sys/wait.h termios.h tgmath.h
threads.h time.h ucontext.h unistd.h utime.h wchar.h wctype.h
""".split()
KERNEL = """
void kernel(int n, const double *restrict a, double *restrict b)
{
    for (int i = 0; i < n; i++)
        b[i] = 2 * a[i] + 1;
}
"""
COMPILERS = [name for name in ("gcc", "clang-19", "aarch64-linux-gnu-gcc") if shutil.which(name)]


def alone(module: Module) -> bool:
    """Whether the kernel is read, and nothing is said about the headers in front of it."""
    return [f.name for f in module.functions if not f.internal] == ["kernel"] and not module.passed_over and not module.problems


@pytest.mark.parametrize("header", HEADERS)
def test_a_kernel_behind_a_system_header_is_read(header: str) -> None:
    text = f"#define _GNU_SOURCE\n#include <{header}>\n{KERNEL}"
    module = parse_c("k.c", text=text, cpp="gcc")
    assert alone(module), (module.passed_over, module.problems)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_kernel_behind_all_headers(compiler: str) -> None:
    names = [name for name in HEADERS if name not in ("immintrin.h", "omp.h")]
    text = "".join(f"#include <{name}>\n" for name in names) + KERNEL
    assert alone(parse_c("k.c", text=text, cpp=compiler))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_macros_in_pragmas(compiler: str) -> None:
    text = """#define W 8
#define LOOP _Pragma("omp parallel for")
#ifdef _OPENMP
#error a kernel runs in one thread
#endif
void kernel(int n, double *restrict b)
{
#pragma omp simd safelen(W)
    for (int i = 0; i < n; i++) b[i] += 1;
    LOOP
    for (int k = 0; k < n; k++) b[k] += 1;
}
"""
    (function,) = parse_c("k.c", text=text, cpp=compiler).functions
    hints = {block.label: hint_texts(block.hints) for block in function.function.blocks if block.hints != NO_HINTS}
    assert hints == {"for.i": ("lanes", "simd", "safelen 8"), "for.k": ("threads",)}


USES = """
#include <math.h>
#include <tgmath.h>
#include <stdint.h>
#include <string.h>
#include <stdlib.h>
#include <assert.h>
#include <ctype.h>
#include <endian.h>
static const double special[6] = {0, -1, INFINITY, NAN, HUGE_VAL, 1e-310};
void classes(int n, double *a, float *f, int *c)
{
    for (int i = 0; i < n; i++) {
        c[i] = isnan(special[i % 6]) + 2 * fpclassify(special[i % 6]) + 16 * isless(a[i], f[i]) + 32 * !!signbit(f[i]);
        f[i] = sqrt(fabs(f[i])) + fmax(f[i], 2.0f) + 8 * !!isinf(f[i] / 0);
        a[i] = sqrt(fabs(a[i])) + pow(a[i], 2);
    }
}
uint64_t bits(int n, double *a) { uint64_t u; memcpy(&u, a, 8); return u + INT64_C(5) + UINT32_MAX + abs(-n) + EXIT_FAILURE; }
uint32_t swapped(uint32_t n) { return htobe32(n) ^ htole32(n); }
"""


def test_what_headers_define_means_what_it_means_to_gcc(tmp_path: Path) -> None:
    compare_with_gcc(USES, tmp_path, (0, 1, 20), cpp="gcc")


MACROS = """#include "sizes.h"
#include <errno.h>
int f(int n) { return SIZE * TWICE(n) + unknown + TWICE(SIZE); }
int g(int n) { return TWICE(n + wrong) + EINVAL; }
int h(int n) { return n +
    EINVAL + missing;
}
void kernel(int n) {}
"""


def test_places_are_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    header = "#define SIZE 17\n#define TWICE(x) ((x) + (x))\n\nint in_header(void) { return no; }\n"
    (tmp_path / "inside" / "sizes.h").write_text(header)
    path = tmp_path / "inside" / "m.c"
    path.write_text(MACROS)
    module = parse_c(path, cpp="gcc", defines=[("UNUSED", "1")])
    found = {name: reason.span for name, reason in module.passed_over}
    lines = MACROS.split("\n")
    for name, word, line in (("f", "unknown", 3), ("g", "wrong", 4), ("h", "missing", 6)):
        span = found[name]
        assert span is not None and (span.file, span.line) == (str(path), line)
        assert span.column == lines[line - 1].index(word) + 1, (name, span)
    inside = found["in_header"]
    assert inside is not None and (Path(inside.file).name, inside.line, inside.column) == ("sizes.h", 4, 30)
    shown = render(dict(module.passed_over)["f"], module.sources)
    assert "    3 | int f(int n)" in shown


def refused(text: str, cpp: str) -> Diagnostic:
    with pytest.raises(Refused) as caught:
        parse_c("k.c", text=text, cpp=cpp)
    return caught.value.diagnostics[0]


def test_what_the_compiler_refuses_is_told() -> None:
    missing = refused("\n#include <no/such.h>\n" + KERNEL, "gcc")
    assert missing.code == "TRV002" and "no/such.h" in missing.message
    assert missing.span is not None and (missing.span.file, missing.span.line) == ("k.c", 2)
    assert refused('#error "not like this"\n', "gcc").message == 'preprocessor: #error "not like this"'
    assert refused(KERNEL, "no-such-compiler -E").code == "TRV006"
    assert refused(KERNEL, "gcc --no-such-option").code == "TRV006"


def test_macros_and_directories_are_the_compilers_too(tmp_path: Path) -> None:
    (tmp_path / "size.h").write_text("#define SIZE 3\n")
    lanes = "#ifdef __TENSORRV__\n#define LANES rv_lanes()\n#endif\n"
    text = f'#include "rv.h"\n#include <size.h>\n{lanes}int f(void) {{ return K + SIZE + LANES; }}\n'
    module = parse_c("k.c", text=text, cpp="gcc", defines=[("K", "4")], include_dirs=[tmp_path])
    assert [f.name for f in module.functions] == ["f"]


def test_a_preprocessed_file_is_read_as_the_file_it_comes_from(tmp_path: Path) -> None:
    functions = "int f(int n) { return n + unknown; }\nint l(void) { return __LINE__; }\n"
    source = "#include <stdlib.h>\n#include <math.h>\n\n" + KERNEL + functions
    (tmp_path / "k.c").write_text(source)
    subprocess.run(["gcc", "-E", "k.c", "-o", "k.i"], cwd=tmp_path, check=True)
    module = parse_c(tmp_path / "k.i")
    assert [f.name for f in module.functions] == ["kernel", "l"] and not module.problems
    ((name, reason),) = module.passed_over
    assert name == "f" and reason.span is not None
    assert (reason.span.file, reason.span.line, reason.span.column) == ("k.c", 10, 27)


def test_line_directives_of_generated_files() -> None:
    first = '# 0 "x.c"\n#line 40 "grammar.y"\nint f(int n) { return n + a; }\n'
    text = first + "\n# 7\nint g(int n) { return n + b; }\nint h(void) { return __LINE__; }\n"
    module = parse_c("k.c", text=text)
    places = [(r.span.file, r.span.line, r.span.column) for _, r in module.passed_over if r.span is not None]
    assert places == [("grammar.y", 40, 27), ("grammar.y", 7, 27)]
