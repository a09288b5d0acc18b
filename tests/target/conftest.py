import platform
import shutil
import subprocess

import pytest


@pytest.fixture
def aarch64(tmp_path):
    """A function that compiles and links C and object files for AArch64, runs them, and gives what they print."""
    if platform.machine() in ("aarch64", "arm64"):
        compiler, runner = ["gcc"], []
    else:
        compiler, runner = ["aarch64-linux-gnu-gcc"], ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]
    for tool in (compiler[0], *runner[:1]):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")

    def build_and_run(*files):
        program = tmp_path / "program"
        subprocess.run([*compiler, "-O1", "-o", str(program), *map(str, files), "-lm"], check=True)
        return subprocess.run([*runner, str(program)], capture_output=True, text=True, check=True).stdout

    return build_and_run
