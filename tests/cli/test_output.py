import os

import pytest

from tensorrv.frontend.shipped import find_kernel, shipped_kernels
from tensorrv.report.diagnostics import Refused
from tensorrv.report.output import write_files


def test_directory_is_made(tmp_path):
    target = tmp_path / "a" / "b"
    assert write_files(target, {"x.s": b"1", "x.ll": b"2"}) == (target / "x.s", target / "x.ll")
    assert sorted(os.listdir(target)) == ["x.ll", "x.s"]
    assert (target / "x.ll").read_bytes() == b"2"


def test_all_or_nothing(tmp_path):
    (tmp_path / "b.s").mkdir()
    with pytest.raises(Refused, match="cannot write to .*b.s': is a directory"):
        write_files(tmp_path, {"a.s": b"1", "b.s": b"2"})
    assert os.listdir(tmp_path) == ["b.s"]


def test_file_in_the_way(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(Refused, match="cannot write to"):
        write_files(tmp_path / "out", {"a.s": b"1"})


def test_shipped_kernels():
    assert {"jacobi5", "jacobi5_f32", "transpose", "gauss_seidel"} <= set(shipped_kernels())
    assert find_kernel("jacobi5").name == "jacobi5.c"


def test_no_such_kernel(tmp_path):
    with pytest.raises(Refused) as caught:
        find_kernel("jacobi6")
    assert "jacobi5" in caught.value.diagnostics[0].hint
    with pytest.raises(Refused, match="directory"):
        find_kernel(str(tmp_path))
