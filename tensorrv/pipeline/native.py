"""Machine code of a kernel as a Python function of plain numbers and addresses."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any, Final

from rv.target.native_types import ctypes_type
from tensorrv.interface.signature import ArrayArgument, Signature

NativeFunction = Callable[..., Any]


def native_function(signature: Signature, address: int) -> NativeFunction:
    """The function at `address`; arrays are passed as addresses. Nothing is checked."""
    arguments = [
        ctypes.c_void_p if isinstance(argument, ArrayArgument) else ctypes_type(argument.type, argument.signed)
        for argument in signature.arguments
    ]
    function: NativeFunction = ctypes.CFUNCTYPE(ctypes_type(signature.result, signature.result_signed), *arguments)(address)
    return function


_with_team: Final[list[int]] = []
"""The process whose kernels have started threads, in it and in processes that it forked afterwards."""


def in_one_process(function: NativeFunction) -> NativeFunction:
    """A kernel with threads that raises RuntimeError where it would wait for ever for threads that a fork left behind."""

    def call(*values: Any) -> Any:
        if not _with_team:
            _with_team.append(os.getpid())
        elif _with_team[0] != os.getpid():
            raise RuntimeError(
                "a kernel with threads was called before this process was forked, and its threads do not exist in this process: "
                "start processes with 'spawn' or 'forkserver', or call kernels with threads only in the child processes"
            )
        return function(*values)

    return call


def set_threads(number: int) -> None:
    """How many threads teams have from now on that this thread starts. Raises OSError without libgomp."""
    ctypes.CDLL("libgomp.so.1", mode=ctypes.RTLD_GLOBAL).omp_set_num_threads(number)
