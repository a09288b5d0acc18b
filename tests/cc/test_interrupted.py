"""Ctrl-C while the compiler runs."""

import os
import signal
import subprocess
import sys
from pathlib import Path


def test_ctrl_c_exits_with_130(tmp_path: Path):
    compiler = tmp_path / "slow-cc"
    compiler.write_text("#!/bin/sh\necho started\nexec sleep 60\n")
    compiler.chmod(0o755)
    program = "import sys; from tensorrv.cli.cc.cli import main; sys.exit(main())"
    (tmp_path / "a.c").write_text("void f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = 1; }")
    process = subprocess.Popen(
        [sys.executable, "-c", program, "-O2", "-c", "a.c"], cwd=tmp_path, env={**os.environ, "TENSORRV_CC": str(compiler)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline() == "started\n"
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in errors
