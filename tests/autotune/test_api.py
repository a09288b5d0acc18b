"""`trv.tune` on this machine, on local processes, on a process pool and on a Dask cluster."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import tensorrv as trv

OPTIONS = {"sizes": {"rows": 34, "cols": 40}, "brushes": [(1, 8), (4, 8)], "projections": "default", "budget": 60.0}


PLANS = ["brush=1x8", "brush=4x8", "brush=none", "brush=none vectorizer=llvm"]


def plans(result):
    return sorted(record.candidate.plan for record in result.measured)


def test_tuning_and_compiling(tmp_path):
    result = trv.tune("jacobi5", database=tmp_path / "a.sqlite", **OPTIONS)
    assert plans(result) == PLANS
    assert result.speedup >= 1.0
    kernel = result.compile()
    assert kernel.plan == result.plan
    A, B = np.random.default_rng(1).random((34, 40)), np.zeros((34, 40))
    kernel(A, B)
    assert B[1, 1] == 0.2 * (A[0, 1] + A[1, 0] + A[1, 1] + A[1, 2] + A[2, 1])


def test_on_a_process_pool(tmp_path):
    with ProcessPoolExecutor(1) as pool:
        assert plans(trv.tune("jacobi5", database=tmp_path / "a.sqlite", executor=pool, **OPTIONS)) == PLANS


def test_on_a_dask_cluster(tmp_path):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        executor = client.get_executor(pure=False)
        result = trv.tune("jacobi5", database=tmp_path / "a.sqlite", executor=executor, **OPTIONS)
        assert plans(result) == PLANS


def test_threads_are_an_axis(tmp_path):
    options = {**OPTIONS, "brushes": [(4, 8)]}
    result = trv.tune("jacobi5", database=tmp_path / "a.sqlite", threads=(1, 2), **options)
    assert {(r.candidate.plan, r.candidate.threads) for r in result.measured} == {
        *((plan, 1) for plan in PLANS), ("brush=4x8 threads=openmp", 2),
    }  # fmt: skip


TRIANGLE = """
void triangle(int n, double A[restrict n][n]) { for (int j = 1; j < n - 1; j++) for (int i = 0; i < j; i++) A[j][i] *= 2; }
"""


@pytest.mark.parametrize(
    ("kernel", "sizes"), [("jacobi5", {"rows": 2, "cols": 40}), ("jacobi5", {"rows": 34, "cols": 2}), (TRIANGLE, {"n": 2})]
)
def test_sizes_without_iterations_are_refused(tmp_path, kernel, sizes):
    with pytest.raises(trv.Refused, match="have no iterations") as refused:
        trv.tune(kernel, database=tmp_path / "a.sqlite", **{**OPTIONS, "sizes": sizes})
    assert refused.value.diagnostics[0].code == "TRV404"


def test_sizes_of_other_names_are_not_passed_over():
    with pytest.raises(trv.Refused, match="no integer parameter 'row'"):
        trv.tune("jacobi5", **{**OPTIONS, "sizes": {"row": 34, "cols": 40}})
    for sizes in ("rows=34", {"rows": 34.5}):
        with pytest.raises(TypeError, match="sizes is a dictionary of integers"):
            trv.tune("jacobi5", **{**OPTIONS, "sizes": sizes})


@pytest.mark.parametrize(
    "options, message",
    [
        ({"search": "lucky"}, "'lucky' is not a search"),
        ({"target": "nothing"}, "unknown target"),
        ({"brushes": [(0, 8)]}, "empty dimension"),
        ({"threads": [0]}, "'0' is not a number of threads"),
        ({"budget": "soon"}, "'soon' is not a time"),
        ({"layouts": "row 2y2"}, "'2y2' is not a layout"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        trv.tune("jacobi5", **{**OPTIONS, **options})
