"""Runs on the user's data: archives, harnesses, lengths and ranges, and which code is at fault."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tensorrv as trv
from rv.target.machine import resolve_target
from tensorrv.check.buffers import make_buffers, make_scalars
from tensorrv.check.given.fitting import fit
from tensorrv.check.given.reading import read_arguments
from tensorrv.check.given.values import NOTHING, Constraints, parse_lengths, parse_ranges
from tensorrv.check.invented_lengths import interface_to_run
from tensorrv.check.runs import compared
from tensorrv.check.trial import References, bench_kernel, comparison
from tensorrv.cli.gen import main
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.kernel import compile_function
from tensorrv.report.diagnostics import Refused
from tensorrv.schedule.plan import Plan, PlanError, parse_brush

GATHER = """void gather(int n, int m, const int *restrict idx, const double *restrict x, double *restrict y)
{ for (int i = 0; i < n; i++) y[i] = 2 * x[idx[i] * 3 & 1023]; }"""
BY_REFERENCE = """void f(const int *n, const double *restrict x, double *restrict y)
{ for (int i = 0; i < *n; i++) y[i] = 2 * x[i]; }"""
ROTATED = """void rotated(int n, int steps, double *a, double *b)
{ for (int t = 0; t < steps; t++) {
  for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1]; double *c = a; a = b; b = c; } }"""
TREE = """struct node { int left, right; double key; };
int find(int n, const struct node tree[n], double x)
{ int k = 0; for (int i = 0; i < 9; i++) k = x < tree[k].key ? tree[k].left : tree[k].right; return k; }"""
RANDOM = np.random.default_rng(1)


def unit(text: str):
    return parse_c("f.c", text=text).functions[0]


def run(text: str, arguments=None, constraints=NOTHING.constraints, sizes=None, brush="8"):
    """Verification in this process."""
    function = unit(text)
    kernel = compile_function(function, Plan(parse_brush(brush)), resolve_target("native"))
    given = fit(function, arguments or {}, constraints, sizes or {})
    request = comparison(kernel, (sizes or {},), References(function, kernel.target), None, given, small=False)
    return compared(request, lambda note: None)


def gather(n: int = 100):
    return {"n": n, "m": 9, "idx": RANDOM.integers(0, 99, n).astype(np.int32), "x": RANDOM.random(1024), "y": np.zeros(n)}


@pytest.mark.parametrize(
    ("text", "arguments", "brush"),
    [
        (GATHER, gather(), "8"),
        (BY_REFERENCE, {"n": 37, "x": RANDOM.random(37), "y": np.zeros(40)}, "8"),
        (ROTATED, {"n": 50, "steps": 3, "a": RANDOM.random(50), "b": RANDOM.random(50)}, "none"),
    ],
)
def test_given_arguments_are_run_once_and_equal(text, arguments, brush):
    found = run(text, arguments, brush=brush)
    assert found.difference is None and found.runs == 1
    assert found.elements == sum(a.size for a in arguments.values() if isinstance(a, np.ndarray)) + (text is BY_REFERENCE)


def test_what_is_not_given_is_invented_within_lengths_and_ranges():
    constraints = Constraints(parse_lengths(["x=m*3,y=n+2"]), parse_ranges(["idx=1:m", "x=2:3"]))
    function = unit(GATHER)
    given = fit(function, {}, constraints, {})
    interface, sizes = interface_to_run(function, given), {"n": 9, "m": 500}
    buffers = make_buffers(interface.signature, interface.reaches, sizes, RANDOM, given=given)
    assert len(buffers["y"].elements) == 11 and len(buffers["x"].elements) >= 1500
    assert 1 <= buffers["idx"].elements.min() and 9 < buffers["idx"].elements.max() < 500
    assert 2 <= buffers["x"].elements.min() and buffers["x"].elements.max() < 3
    tree = unit(TREE)
    given = fit(tree, {}, Constraints({}, parse_ranges(["tree.left=0:n,tree.right=0:n", "x=5:6"])), {})
    interface = interface_to_run(tree, given)
    nodes = make_buffers(interface.signature, interface.reaches, {"n": 40}, RANDOM, given=given)["tree"].elements
    assert nodes["left"].min() >= 0 and 20 < nodes["right"].max() < 40
    assert 5 <= make_scalars(interface.signature, {"n": 40}, RANDOM, given)["x"] <= 6
    assert run(TREE, {}, given.constraints, {"n": 40}, "none").difference is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"idx": np.zeros(3)}, "argument 'idx' of gather() must have dtype int32"),
        ({"n": 1.5}, "argument 'n' of gather() must be an integer"),
        ({"idx": np.zeros(9, np.int32)}, "the data say nothing about 'n'"),
        ({"n": 9, "y": np.zeros(8)}, "'y' of gather() is given 8 elements, but element 8 is accessed"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(Refused) as refusal:
        function = unit(GATHER)
        kernel = compile_function(function, Plan(parse_brush("8")), resolve_target("native"))
        bench_kernel(kernel, (), None, fit(function, arguments, Constraints(), {}))
    assert refusal.value.diagnostics[0].code == "TRV104" and message in refusal.value.diagnostics[0].message


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (Constraints(parse_lengths(["n=4"])), "'n' is a number"),
        (Constraints(parse_lengths(["x=k"])), "'k' is no integer parameter"),
        (Constraints({}, parse_ranges(["n=1:4"])), "'n' is a size"),
        (Constraints({}, parse_ranges(["idx.left=1:4"])), "no numbers 'idx.left'"),
    ],
)
def test_constraints_that_do_not_fit_are_refused(constraints, message):
    with pytest.raises(Refused, match=message):
        fit(unit(GATHER), {}, constraints, {})


@pytest.mark.parametrize("text", ["x", "x=", "x=2n", "x=n/2", "x=1,x=2"])
def test_lengths_that_are_none_are_refused(text):
    with pytest.raises(PlanError):
        parse_lengths([text])
    with pytest.raises(PlanError):
        parse_ranges([text])


def test_memory_that_two_arguments_share_is_refused():
    a = np.zeros(50)
    with pytest.raises(Refused, match="'a' and 'b' share memory"):
        fit(unit(ROTATED), {"n": 50, "steps": 1, "a": a, "b": a}, Constraints(), {})


HARNESS = "import numpy as np, helper\ndef gather(): return BODY\n"


@pytest.mark.parametrize(
    ("body", "message"),
    [("1 / 0", "ZeroDivisionError: division by zero"), ("7", "gather() returned int"), ("__import__('os').abort()", "SIGABRT")],
)
def test_harnesses_that_fail_are_named(tmp_path: Path, body, message):
    (tmp_path / "helper.py").touch()
    (tmp_path / "harness.py").write_text(HARNESS.replace("BODY", body))
    with pytest.raises(Refused) as refusal:
        read_arguments(tmp_path / "harness.py", "gather")
    assert message in refusal.value.diagnostics[0].message


def test_the_command_says_whether_the_source_is_at_fault(tmp_path: Path, capsys):
    (tmp_path / "f.c").write_text(GATHER.replace(" * 3 & 1023", ""))
    np.savez(tmp_path / "good.npz", **gather())
    np.savez(tmp_path / "bad.npz", **{**gather(), "idx": np.full(100, 10**9, np.int32)})
    command = [str(tmp_path / "f.c"), "--brush", "8", "--verify", "--data"]
    assert main([*command, str(tmp_path / "good.npz")]) == 0
    assert "verified, 1 runs, 1224 elements bit-identical" in capsys.readouterr().out
    assert main([*command, str(tmp_path / "bad.npz")]) == 1
    fault = "error[TRV096]: the C source of 'gather' touches memory that is not there (SIGSEGV) on the given data"
    assert fault in capsys.readouterr().err
    (tmp_path / "bad.npz").write_bytes(b"PK")
    assert main([*command, str(tmp_path / "bad.npz")]) == 1
    assert "cannot be read as an .npz" in capsys.readouterr().err
    assert main([str(tmp_path / "f.c"), "--data", "a.npz"]) == 2


def test_tuning_on_arguments(tmp_path: Path):
    kernel = trv.compile(GATHER, brush=8)
    given = gather()
    before = given["y"].copy()
    result = trv.tune(kernel, given, brushes=[8, 16], budget=20, database=tmp_path / "a.sqlite")
    assert {"brush=8", "brush=16"} <= {r.candidate.plan for r in result.measured}
    assert "__data=" in result.key.sizes and np.array_equal(given["y"], before)
    with pytest.raises(Refused, match="no parameter 'z'"):
        trv.tune(kernel, {"z": 1})


def test_arrays_that_steer_begin_anew_in_every_measured_call():
    text = """void compact(int n, const int *restrict a, int *restrict k, int *restrict b)
    { for (int i = 0; i < n; i++) if (a[i]) { b[k[0]] = a[i]; k[0] = k[0] + 1; } }"""
    function = unit(text)
    kernel = compile_function(function, Plan(parse_brush("none")), resolve_target("native"))
    arguments = {"n": 1000, "a": np.ones(1000, np.int32), "k": 0, "b": np.zeros(1000, np.int32)}
    (found,) = bench_kernel(kernel, (), None, fit(function, arguments, Constraints(), {}))
    assert found.timings[0].median > 0
