"""`tensorrv-cc`: the command. Its exit status is that of the user's compiler; 2 for options of ours that make no sense."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import NoReturn

from tensorrv.cli.cc.command import read_command
from tensorrv.cli.cc.options import HELP, BadOption, split_options

COMPILERS = ("gcc", "cc", "clang")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command with `arguments` (default: the process's) and gives the exit status."""
    try:
        return _run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        return 130


def _run(given: list[str]) -> int:
    try:
        options, words = split_options(given)
    except BadOption as error:
        print(f"tensorrv-cc: {error}", file=sys.stderr)
        return 2
    if options.help:
        print(HELP, end="")
        return 0
    compiler = _compiler()
    if not compiler:
        print("tensorrv-cc: no C compiler was found; set TENSORRV_CC", file=sys.stderr)
        return 127
    command = read_command(words)
    if command.apart and not (options.explain or options.report):
        _become([*compiler, *words])
    try:
        original = subprocess.Popen([*compiler, *words])
    except OSError as error:
        print(f"tensorrv-cc: cannot run '{compiler[0]}': {error.strerror}", file=sys.stderr)
        return 127
    from tensorrv.cli.cc.compile import Run
    from tensorrv.cli.cc.report import Report

    report = Report(options)
    if command.apart:
        if command.sources:
            report.left(command, command.apart)
        status = original.wait()
    else:
        status = Run(compiler, command, options, report).status(original)
    report.write()
    return status if status >= 0 else 128 - status


def _compiler() -> tuple[str, ...]:
    """The words that call the user's compiler; none if there is none."""
    named = shlex.split(os.environ.get("TENSORRV_CC", ""))
    if named:
        return tuple(named)
    return next(((name,) for name in COMPILERS if shutil.which(name)), ())


def _become(words: list[str]) -> NoReturn:
    """The compiler in the place of this process."""
    try:
        os.execvp(words[0], words)
    except OSError as error:
        print(f"tensorrv-cc: cannot run '{words[0]}': {error.strerror}", file=sys.stderr)
        sys.exit(127)


if __name__ == "__main__":
    sys.exit(main())
