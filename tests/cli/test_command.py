"""The command as a whole, in this process: exit status, outputs, what is printed."""

import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tensorrv.cli.gen import main
from tensorrv.cli.steps import STEPS
from tensorrv.schedule.plan import parse_plan

SUM = "int sum(int n, const int *a) { int s = 0; for (int i = 0; i < n; ++i) s += a[i]; return s; }\n"
SCALE = "void scale(int n, double a[n]) { for (int i = 0; i < n; ++i) a[i] = 2 * a[i]; }\n"
SERIAL = "void serial(int n, double a[n]) { for (int i = 1; i < n; ++i) a[i] = 2 * a[i - 1]; }\n"
HASHED = """
void hashed(int n, const int index[restrict n], double a[restrict n], const double *b)
{
    for (int k = 0; k < n; ++k) a[k] = b[index[k] * 2654435761u];
}
"""


@pytest.fixture
def kernel(tmp_path):
    def write(text, name="k.c"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs the command in an empty directory; gives the exit status and what was printed."""
    directory = tmp_path / "here"
    directory.mkdir()
    monkeypatch.chdir(directory)

    def command(*arguments):
        status = main(list(arguments))
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return status, captured.out, captured.err

    return command


@pytest.mark.parametrize("target", ["native", "avx512", "avx2", "neon", "znver4", "cortex-a72", "nehalem"])
def test_all_forms_for_every_target(run, target):
    forms = "obj,asm,llvm,pllvm,header"
    status, out, err = run("jacobi5", "--brush", "4x8", "--target", target, "--emit", forms, "-o", "new/out")
    assert status == 0
    assert ("note[TRV100]" in err) == (target in ("cortex-a72", "nehalem")), "these have no descriptions"
    assert err.count("[TRV") <= 1
    assert sorted(os.listdir("new/out")) == [f"jacobi5.{target}.{suffix}" for suffix in ("h", "ll", "o", "pll", "s")]
    symbols = subprocess.run(["nm", f"new/out/jacobi5.{target}.o"], capture_output=True, text=True, check=True).stdout
    assert " T jacobi5" in symbols
    assert f"new/out/jacobi5.{target}.s" in out


def test_register_class_of_outputs(run):
    for target, register in (("avx512", "%zmm"), ("avx2", "%ymm"), ("neon", ".2d")):
        assert run("jacobi5", "--brush", "4x8", "--target", target, "--emit", "asm")[0] == 0
        with open(f"jacobi5.{target}.s") as file:
            assert register in file.read()


def test_shared_library_is_the_default(run, kernel):
    assert run(kernel(SUM), "--brush", "8")[0] == 0
    assert os.listdir() == ["sum.native.so"]
    library = ctypes.CDLL(os.path.abspath("sum.native.so"))
    assert library.sum(37, (ctypes.c_int * 37)(*range(37))) == sum(range(37))


def test_neon_library_is_linked_by_a_cross_compiler(run, aarch64):
    assert run("transpose", "--target", "neon", "--brush", "4x4")[0] == 0
    assert os.listdir() == ["transpose.neon.so"]


def test_same_input_same_bytes(run):
    for directory in ("a", "b"):
        run("seidel9", "--brush", "4x8", "--emit", "so,obj,asm,llvm,pllvm,header", "-o", directory)
    for name in os.listdir("a"):
        with open(f"a/{name}", "rb") as a, open(f"b/{name}", "rb") as b:
            assert a.read() == b.read(), name


def test_header_compiles_as_c_and_cpp(run, tmp_path):
    run("jacobi5", "--emit", "header,obj")
    (tmp_path / "use.c").write_text('#include "here/jacobi5.native.h"\n#include "here/jacobi5.native.h"\nvoid *p = jacobi5;\n')
    subprocess.run(["gcc", "-std=c99", "-c", "-o", tmp_path / "use.o", tmp_path / "use.c"], check=True)
    use = "void (*p)(int, int, const double *, double *) = jacobi5;"
    (tmp_path / "use.cc").write_text(f'#include "here/jacobi5.native.h"\n{use}\n')
    if subprocess.run(["g++", "--version"], capture_output=True, check=False).returncode == 0:
        subprocess.run(["g++", "-c", "-o", tmp_path / "use.o", tmp_path / "use.cc"], check=True)


def test_names_that_are_keywords_of_cpp(run, kernel, tmp_path):
    text = "void new(int n, int class, double *delete) { for (int i = 0; i < n; i++) delete[i] = class; }"
    run(kernel(text), "--emit", "header,obj")
    use = "int main() { double a[3]; new_(3, 7, a); return a[2] != 7; }"
    (tmp_path / "use.cc").write_text(f'#include "here/new.native.h"\n{use}\n')
    if subprocess.run(["g++", "--version"], capture_output=True, check=False).returncode == 0:
        subprocess.run(["g++", "-o", tmp_path / "use", tmp_path / "use.cc", "new.native.o"], check=True)
        subprocess.run([tmp_path / "use"], check=True)


def test_verify(run):
    status, out, _ = run("jacobi5", "--brush", "4x8", "--verify", "--size", "rows=40,cols=50")
    assert status == 0
    assert "bit-identical" in out
    assert os.listdir() == []


def test_difference_is_status_3(run, monkeypatch):
    import tensorrv.check.trial
    from tensorrv.check.verify import Difference, Verification

    found = Verification(1, 9, Difference({"n": 3}, "B", (1, 2), "1.0", "2.0"), 0)
    monkeypatch.setattr(tensorrv.check.trial, "verify_kernel", lambda *given, **how: found)
    status, out, _ = run("jacobi5", "--brush", "4x8", "--verify", "--emit", "obj")
    assert status == 3
    assert "B[1][2] is 2.0, expected 1.0 (with n=3)" in out
    assert os.listdir() == []


def test_bench(run):
    status, out, _ = run("jacobi5", "--brush", "4x8", "--bench", "--size", "rows=34,cols=40", "--json")
    assert status == 0
    (benchmark,) = json.loads(out)["functions"][0]["benchmarks"]
    assert benchmark["sizes"] == {"rows": 34, "cols": 40}
    assert benchmark["points"] == 32 * 38
    names = [version["version"] for version in benchmark["versions"]]
    assert names[0] == "scalar"
    assert "brush 4x8" in names
    for version in benchmark["versions"]:
        low, high = version["ns_per_call_quartiles"]
        assert 0 < low <= version["ns_per_call"] <= high


def test_json(run):
    status, out, err = run("jacobi5", "--brush", "j=4,i=8", "--projection", "1,0", "--verify", "--emit", "obj", "--time-stages",
                           "--print-after", "prepare", "--target", "native", "--json")  # fmt: skip
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert document["target"]["name"] == "native"
    (function,) = document["functions"]
    assert function["name"] == "jacobi5"
    assert parse_plan(function["plan"]).projection == (1, 0)
    assert function["files"] == ["jacobi5.native.o"]
    assert function["verification"]["equal"] is True
    assert [(p["step"], "elemptr" in p["text"]) for p in function["printed"]] == [("prepare", True)]
    assert {"widen", "optimize"} <= {stage["stage"] for stage in function["stages"]}


def test_an_unsupported_function_asked_for_by_name_is_shown_with_its_line(run, kernel):
    text = SCALE + "void pick(int n, double *a) { double t[n]; for (int i = 0; i < n; ++i) a[i] = t[i & 3]; }\n"
    status, _, err = run(kernel(text), "--function", "pick")
    assert status == 1
    assert "2 | void pick(" in err and "error[TRV034]" in err


@pytest.mark.parametrize("body", ["if (x[i] > 0) for (;;) ; y[i] = 1;", "y[i] = 1; if (n > 9) for (;;) y[i] += 1;"])
def test_iterations_that_never_end(run, body):
    Path("k.c").write_text(f"void f(int n, const int *x, int *y) {{\n  for (int i = 0; i < n; ++i) {{\n    {body}\n  }}\n}}\n")
    status, out, err = run("k.c", "--brush", "8")
    assert (status, out) == (1, "")
    assert "TRV301" in err and "note: this loop never terminates" in err


def test_loops_that_never_end_stay_so(run):
    loop = "for (int i = 0; i < n; ++i) y[i] += x[i];"
    Path("k.c").write_text(f"void f(int n, int t, const int *x, int *y) {{ {loop} if (t == 7) for (;;) ; {loop} }}\n")
    assert run("k.c", "--brush", "8", "--emit", "llvm,asm")[0] == 0
    assert re.search(r"^(\.LBB\w+):.*\n(?:.*#.*\n)*\s+jmp\s+\1$", Path("f.native.s").read_text(), re.MULTILINE)


def test_refusal_in_json(run):
    status, out, _ = run("gauss_seidel", "--brush", "4x8", "--json")
    (diagnostic,) = json.loads(out)["diagnostics"]
    assert status == 1
    assert diagnostic["severity"] == "error"
    assert diagnostic["file"].endswith("gauss_seidel.c")
    assert diagnostic["related"]


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_full_disk_behind_the_output_is_no_bug(options):
    command = [sys.executable, "-m", "tensorrv.cli.gen", "jacobi5", "--brush", "4x8", "--target", "avx2", "--verify", *options]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "error[TRV091]: no space left on device\n"


def test_a_name_that_the_system_refuses(run):
    status, _, err = run("k" * 5000)
    assert status == 1 and "file name too long" in err


def test_c_from_a_pipe(run):
    read, write = os.pipe()
    os.write(write, SCALE.encode())
    os.close(write)
    assert run(f"/dev/fd/{read}", "--bench", "--size", "n=9")[0] == 0
    os.close(read)


@pytest.mark.parametrize(
    ("name", "message"), [("/dev/null", "a device"), ("/", "a directory"), ("", "is empty"), ("nope", "no such")]
)
def test_what_is_no_kernel(run, name, message):
    status, _, err = run(name)
    assert status == 1 and message in err


def test_bad_usage_in_json(run):
    status, out, err = run("jacobi5", "--brush", "4y", "--json")
    document = json.loads(out)
    assert (status, document["functions"]) == (2, [])
    assert document["diagnostics"][0]["message"] == "'4y' is not a brush" and "'4y' is not a brush" in err


@pytest.mark.parametrize("stage", ["frontend", "prepare", "vector", "tensorize", "optimize"])
def test_print_after(run, stage):
    status, out, _ = run("jacobi5", "--brush", "4x8", "--print-after", stage)
    assert status == 0
    assert f"--- jacobi5 after {stage}" in out
    assert "fadd" in out


BRANCHES = """
#include <math.h>
void walk(int n, const double a[restrict n], double b[restrict n])
{
    for (int i = 0; i < n; ++i) {
        double x = a[i];
        while (x > 1)
            x = x / 3 - 1;
        if (x < 0)
            x = exp(x) * exp(x * x) + exp(-x);
        b[i] = fmax(x, 0.0);
    }
}
"""


def test_print_after_every_step(run, kernel):
    """In the order of the table, each with the code; `all` leaves out what changes nothing."""
    options = ("--brush", "8", "--target", "avx2", "--layout", "a=4")
    _, every, _ = run(kernel(BRANCHES), *options, *(word for step in STEPS for word in ("--print-after", step)))
    steps = re.findall(r"^--- walk after ([\w-]+): ", every, re.MULTILINE)
    assert steps == list(STEPS)
    _, changed, _ = run(kernel(BRANCHES), *options, "--print-after", "all")
    shown = re.findall(r"^--- walk after ([\w-]+): ", changed, re.MULTILINE)
    assert shown == [step for step in STEPS if step in shown]
    assert {"frontend", "skip-sides", "uniform-loops", "linearize", "widen", "vector", "tensorize"} <= set(shown)
    assert "count-pointers" not in shown


def test_explain_control_flow(run, kernel):
    text = """
    void walk(int n, const double *restrict a, double *restrict b)
    {
        for (int i = 0; i < n; ++i) {
            double x = a[i];
            while (x > 1)
                x = x / 3 - 1;
            if (x < 0)
                if (x > -0.5)
                    x = exp(x) * exp(x * x) + exp(-x);
            b[i] = x;
        }
    }
    """
    path = kernel("#include <math.h>\n" + text)
    status, out, _ = run(path, "--brush", "8", "--explain")
    assert status == 0 and "divergent along i, converted to predicates, skipped by a branch when no lane is active" in out
    assert "sequential inside the brush, all lanes in lock step" in out
    _, out, _ = run(path, "--brush", "8", "--explain", "--boscc", "none")
    assert "converted to predicates" in out and "skipped" not in out


def test_conditions_are_tested_where_a_load_for_all_lanes_asks_anyway(run, kernel):
    text = """
    #include "rv.h"
    struct box { float low[3]; int next; };
    void near(int n, const struct box *restrict boxes, const float *restrict limit, int *restrict count)
    {
    #pragma omp simd
        for (int i = 0; i < n; ++i) {
            int at = 0, found = 0;
            while (at >= 0) {
                float sum = boxes[WHERE].low[0];
                if (sum <= limit[i]) {
                    sum += boxes[WHERE].low[1];
                    if (sum <= limit[i])
                        sum += boxes[WHERE].low[2];
                }
                if (rv_any(sum <= limit[i]))
                    ++found;
                at = boxes[at].next;
            }
            count[i] = found;
        }
    }
    """
    tested = "divergent along i, converted to predicates, skipped by a branch"
    _, out, _ = run(kernel(text.replace("WHERE", "at")), "--brush", "16", "--explain")
    assert out.count("divergent along i, converted to predicates") == out.count(tested) == 2
    # a load from an address that stays the same delays nothing
    _, out, _ = run(kernel(text.replace("WHERE", "0")), "--brush", "16", "--explain")
    assert out.count("divergent along i, converted to predicates") == 2 and tested not in out


def test_explain_local_arrays(run, kernel):
    status, out, _ = run("tree_search", "--brush", "8", "--explain")
    assert status == 0 and "  local       stack, line 15: one for all lanes\n" in out
    text = """void own(int n, const int *restrict A, int *restrict B) {
    for (int i = 0; i < n; i++) {
        int table[40];
        for (int d = 0; d < 40; d++) table[d] = d;
        if (A[i] > 0) table[3] = 7;
        B[i] = table[A[i] & 31];
    }
}"""
    status, out, _ = run(kernel(text), "--brush", "i=8", "--explain")
    assert status == 0 and "  local       table, line 3: one for each lane along i\n" in out
    assert "some threads store to it while others still need their own contents\n                the branch in" in out


def test_explain_warns_of_registers_that_are_not_filled(run, kernel):
    _, out, _ = run("fast_sqrt", "--brush", "8", "--target", "avx512", "--explain")
    assert "warning     half-empty registers: 16 lanes fill one and would take hardly longer than 8" in out
    _, out, _ = run("fast_sqrt", "--brush", "16", "--target", "avx512", "--explain")
    assert "warning" not in out


def test_explain_warns_where_vectorization_does_not_pay(run, kernel):
    rare = """
    #include <math.h>
    void rare(int n, const double *restrict a, double *restrict b)
    {
        for (int i = 0; i < n; ++i)
            b[i] = a[i] == 3 ? pow(a[i], b[i]) : a[i];
    }
    """
    _, out, _ = run(kernel(rare), "--brush", "8", "--explain", "--boscc", "none")
    assert "warning     not expected to pay: about 0.4 times the speed of scalar code" in out
    _, out, _ = run("jacobi5", "--brush", "4x8", "--explain")
    assert "warning" not in out


def test_explain_warns_of_divisions_until_the_last_lane_is_done(run, kernel):
    """Measured: 0.76 times as fast as scalar code with 16 lanes. In floating point the same loop pays."""
    divisors = """
    void divisors(int n, const unsigned a[restrict n], unsigned out[restrict n])
    {
        for (int i = 0; i < n; i++) {
            unsigned x = a[i], sum = 1;
            for (unsigned d = 2; d * d <= x; ++d) {
                if (x % d) continue;
                sum += d;
                if (d == x / d) break;
                sum += x / d;
            }
            out[i] = x == 1 ? 0 : sum;
        }
    }
    """
    for lanes in ("8", "16", "32"):
        _, out, _ = run(kernel(divisors), "--brush", lanes, "--explain")
        assert "warning     not expected to pay" in out
    text = divisors.replace("unsigned", "double").replace("x % d", "x - d * (x / d) > 0")
    _, out, _ = run(kernel(text), "--brush", "16", "--explain")
    assert "warning" not in out
    together = """
    #include "rv.h"
    void walk(int n, const int *restrict a, const int *restrict next, int *restrict b)
    {
    #pragma omp simd
        for (int i = 0; i < n; ++i) {
            int at = 0;
            while (rv_any(at < a[i]))
                at = next[at];
            b[i] = at;
        }
    }
    """
    _, out, _ = run(kernel(together), "--brush", "8", "--explain")
    assert "warning     all lanes execute the union of their paths" in out


def test_explain(run):
    status, out, _ = run("jacobi5", "--brush", "4x8", "--target", "avx512", "--explain")
    assert status == 0
    for part in ("A[j - 1][i]", "14 vector loads, 4 stores", "brushed by 4", "56 elements"):
        assert part in out
    _, out, _ = run("jacobi5", "--brush", "4x8", "--target", "avx512", "--explain", "--json")
    (nest,) = json.loads(out)["functions"][0]["explanation"]
    assert [loop["name"] for loop in nest["loops"]] == ["j", "i"]


def test_time_stages(run):
    _, out, _ = run("jacobi5", "--brush", "4x8", "--time-stages")
    assert "optimize" in out
    assert " ms" in out


def test_defines_and_includes(run, kernel, tmp_path):
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "width.h").write_text("#define N 7\n")
    text = '#include "width.h"\nvoid f(double a[N * M]) { for (int i = 0; i < N * M; ++i) a[i] = i; }\n'
    assert run(kernel(text), "-I", str(tmp_path / "inc"), "-D", "M=3", "--brush", "8", "--verify")[0] == 0
    status, _, err = run(kernel(text), "-D", "M=3")
    assert status == 1
    assert "width.h" in err


def test_functions_are_passed_over_unless_named(run, kernel):
    path = kernel(SCALE + SERIAL + "int nothing(int n) { return n; }\n")
    status, _, err = run(path, "--brush", "8", "--emit", "obj")
    assert status == 0
    assert os.listdir() == ["scale.native.o"]
    assert "warning" in err
    for name in ("serial", "nothing"):
        status, _, err = run(path, "--brush", "8", "--function", name, "--emit", "asm")
        assert status == 1
        assert "error" in err
    assert os.listdir() == ["scale.native.o"]


def test_scalar_code_of_what_no_brush_fits(run):
    assert run("gauss_seidel", "--brush", "none", "--verify")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("missing.c",), 1, "no such file or kernel: 'missing.c'"),
        ((".",), 1, "is a directory"),
        (("jacobi5", "--function", "f"), 1, "no function 'f'"),
        (("jacobi5", "--brush", "y=4,x=8"), 1, "has no loop 'y'"),
        (("jacobi5", "--assume-parallel", "q"), 1, "has no loop 'q'"),
        (("jacobi5", "-o", "/proc/nowhere", "--emit", "asm"), 1, "cannot write to"),
        (("jacobi5", "--verify", "--size", "depth=3"), 1, "no integer parameter 'depth'"),
        (("jacobi5", "--bench", "--size", "rows=100000000,cols=100000"), 1, "GiB"),
        (("jacobi5", "--bench", "--size", "rows=2147483648"), 1, "does not fit type 'int'"),
        (("jacobi5", "--target", "pdp11"), 2, "unknown target 'pdp11'"),
        (("jacobi5", "--brush", "4y8"), 2, "is not a brush"),
        (("jacobi5", "-D", "1=2"), 2, "does not define a macro"),
        (("jacobi5", "--nonsense"), 2, "unrecognized arguments"),
        ((), 2, "required: KERNEL"),
        (("gauss_seidel", "--brush", "4x8"), 1, "breaks a dependence"),
    ],
)
def test_one_diagnostic(run, arguments, status, message):
    found, out, err = run(*arguments)
    assert found == status
    assert message in err
    assert err.count("error[") == 1
    assert out == ""
    assert os.listdir() == []


def test_code_for_another_machine_does_not_run(run):
    from rv.target.machine import resolve_target, runs_here

    if runs_here(resolve_target("neon")) is None:
        pytest.skip("this machine is an AArch64")
    status, _, err = run("jacobi5", "--target", "neon", "--verify")
    assert status == 1
    assert "cannot run here" in err


def test_length_that_nobody_knows(run, kernel):
    status, _, err = run(kernel(HASHED), "--brush", "8", "--verify")
    assert status == 1
    assert "the length of 'b' is not known" in err


def test_sizes_at_which_the_source_itself_goes_astray(run, kernel):
    path = kernel("void f(unsigned long n, int *a) { for (unsigned long i = 0; i < n - 1; ++i) a[i] += 2; }")
    assert run(path, "--brush", "8", "--verify")[0] == 0
    status, _, err = run(path, "--brush", "8", "--verify", "--size", "n=0")
    assert status == 1
    assert "cannot be run with n=0" in err


def test_one_of_several_that_cannot_be_run(run, kernel):
    text = SCALE + HASHED
    status, out, err = run(kernel(text), "--brush", "8", "--verify")
    assert status == 0
    assert "scale: verified" in out
    assert "warning[TRV088]: the length of 'b' is not known" in err


def test_no_linker(run, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    status, _, err = run("jacobi5")
    assert status == 1
    assert "cannot make a shared library" in err
    assert run("jacobi5", "--emit", "obj")[0] == 0


def test_bugs_ask_for_a_report(run, monkeypatch):
    import tensorrv.cli.selection

    monkeypatch.setattr(tensorrv.cli.selection, "compile_function", lambda *_, **named: 1 // 0)
    status, _, err = run("jacobi5", "--brush", "4x8")
    assert status == 70
    assert "internal error: ZeroDivisionError" in err and "Please report" in err


def test_tracebacks_of_bugs_are_shown_where_they_are_wanted(monkeypatch, capsys):
    import tensorrv.cli.selection

    monkeypatch.setenv("TENSORRV_TRACEBACK", "1")
    monkeypatch.setattr(tensorrv.cli.selection, "compile_function", lambda *_, **named: 1 // 0)
    assert main(["jacobi5", "--brush", "4x8"]) == 70
    err = capsys.readouterr().err
    assert err.startswith("Traceback") and "internal error: ZeroDivisionError" in err


def test_as_a_process(tmp_path):
    command = [sys.executable, "-m", "tensorrv.cli.gen", "transpose", "--brush", "8x8", "--emit", "obj", "-o", str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert os.listdir(tmp_path) == ["transpose.native.o"]


ONE_LANE = r"""
#include "rv.h"
int main(void)
{
    int x = 5, wrong = 0;
    unsigned u = 12;
    float f = -2.5f;
    double d = 0.25;
    char c = 'a';
    unsigned long long ballot = rv_ballot(x > 4) + rv_ballot(x > 5) + rv_ballot(rv_mask() & (x > 4));
    wrong += rv_any(x) != 1 || rv_any(d > 1) || rv_all(x && u) != 1 || rv_all(0) || rv_popcount(f) != 1 || rv_popcount(0);
    wrong += ballot != 2 || rv_mask() != 1 || rv_lane() != 0 || rv_lanes() != 1;
    wrong += rv_first(x) != 5 || rv_last(f) > -2 || rv_shuffle(d, rv_lane()) < 0.2 || rv_shuffle(x + 1, 0) != 6;
    wrong += rv_reduce_add(d) < 0.2 || rv_reduce_mul(u) != 12 || rv_reduce_min(x) != 5 || rv_reduce_max(f) > -2;
    wrong += rv_reduce_and(u) != 12 || rv_reduce_or(c) != 'a' || rv_reduce_xor(x) != 5;
    wrong += sizeof(rv_first(c)) != sizeof(int) || sizeof(rv_reduce_or(c)) != sizeof(int);
    wrong += sizeof(rv_last(f)) != sizeof(float) || sizeof(rv_reduce_max(d)) != sizeof(double);
    return wrong;
}
"""


@pytest.mark.parametrize("compiler", ["gcc -std=c99", "gcc -std=c11", "g++ -x c++", "clang -std=c99"])
def test_other_compilers_find_rv_h(tmp_path, capsys, compiler):
    """There the operations are those of one lane, in the types of promoted operands, without a warning."""
    if not shutil.which(compiler.split()[0]):
        pytest.skip(f"there is no {compiler.split()[0]}")
    with pytest.raises(SystemExit) as shown:
        main(["--include-dir"])
    assert not shown.value.code
    (tmp_path / "use.c").write_text(ONE_LANE)
    include = "-I" + capsys.readouterr().out.strip()
    strict = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
    subprocess.run([*compiler.split(), include, *strict, "-o", tmp_path / "use", tmp_path / "use.c"], check=True)
    subprocess.run([tmp_path / "use"], check=True)
