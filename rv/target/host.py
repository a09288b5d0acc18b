"""The processor that this process runs on, as LLVM detects it.

LLVM takes 50 ms to load, half of what `tensorrv-gen --help` would take: it is loaded on first use.
"""

from __future__ import annotations

import functools
import platform
from dataclasses import dataclass

from rv.target.process_forks import ALONE


@dataclass(frozen=True, slots=True)
class Host:
    """`features` are those that the processor has; `feature_string` also contains those it lacks, in LLVM's notation."""

    triple: str
    cpu: str
    features: frozenset[str]
    feature_string: str


@functools.cache
def host() -> Host:
    """This machine."""
    with ALONE:
        from llvmlite import binding

        found: dict[str, bool] = dict(binding.get_host_cpu_features())
        triple, cpu = binding.get_process_triple(), binding.get_host_cpu_name()
    return Host(
        triple=canonical_triple(triple),
        cpu=cpu,
        features=frozenset(name for name, present in found.items() if present),
        feature_string=",".join(f"{'+' if present else '-'}{name}" for name, present in sorted(found.items())),
    )


def canonical_triple(triple: str) -> str:
    """The triple with an `unknown` vendor on Linux, so that native and named targets give the same bytes."""
    architecture, _, rest = triple.partition("-")
    architecture = {"amd64": "x86_64", "arm64": "aarch64"}.get(architecture, architecture)
    return f"{architecture}-unknown-linux-gnu" if platform.system() == "Linux" else f"{architecture}-{rest}"


def llvm_version() -> str:
    """The version of LLVM that makes the code, such as `22.1.0`."""
    with ALONE:
        from llvmlite import binding

    return ".".join(map(str, binding.llvm_version_info))
