"""The command: the user's compiler with the given command line, and then once more with nests replaced, into the same files.

While the compiler works, the file is preprocessed and its nests are compiled. The second run prints nothing: all messages
about the user's code come from the first. Files are replaced as a whole, after everything has succeeded.
"""

from __future__ import annotations

import gc
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from rv.internal_error import internal_error
from tensorrv.cli.cc.command import Command
from tensorrv.cli.cc.dialect import Apart, dialect_of
from tensorrv.cli.cc.options import CcOptions
from tensorrv.cli.cc.report import Report

_LOOPS: Final = re.compile(r"\b(?:for|while|do)\b")
MANY: Final = 100_000
"""New objects after which Python looks for cycles of dead ones."""
_BEHIND: Final = ("-w", "-Wno-error")
T = TypeVar("T")


class CompilerFailed(Exception):
    """The compiler does not take a file with its nests replaced."""


@dataclass(frozen=True, slots=True)
class Run:
    """One command of the user's. `compiler` are the words that call the compiler."""

    compiler: tuple[str, ...]
    command: Command
    options: CcOptions
    report: Report

    def status(self, original: subprocess.Popen[bytes]) -> int:
        """The exit status of the command; `original` is the user's compiler at work."""
        with tempfile.TemporaryDirectory(prefix="tensorrv-cc-") as directory:
            texts = self._guarded(lambda: self._texts(Path(directory), original)) or {}
            status = original.wait()
            if status == 0 and texts and all(output.is_file() for output in self.command.outputs()):
                self._guarded(lambda: self._replace(texts, Path(directory)))
        return status

    def _guarded(self, work: Callable[[], T]) -> T | None:
        """What `work` gives; None, with a line in the report, when it fails in any way."""
        try:
            return work()
        except (Apart, CompilerFailed) as reason:
            self.report.left(self.command, str(reason))
        except OSError as error:
            # a full disk, or an output that cannot be written
            self.report.left(self.command, (error.strerror or str(error)).lower())
        except Exception as error:
            self.report.left(self.command, internal_error(error))
        return None

    def _texts(self, directory: Path, original: subprocess.Popen[bytes]) -> Mapping[int, Path]:
        """For each source with nests that are replaced, by position, its text; nothing more once the compiler has failed."""
        options = self.command.compiling()
        sources = {position: self._preprocessed(position, options) for position in self.command.sources}
        looping = {position: text for position, text in sources.items() if text is not None and _LOOPS.search(text)}
        if not looping:
            return {}
        dialect = dialect_of(self.compiler, options, self.options.target, self.options.fp)
        # what follows loads the front end and LLVM, which takes longer than most compilers need for a small file
        from tensorrv.cli.cc.replace import replaced_text

        # nearly nothing that nests leave behind is cyclic: looking for it took a seventh of the time for BT of NPB
        gc.freeze()
        gc.set_threshold(MANY)
        found: dict[int, Path] = {}
        for position, text in looping.items():
            if original.poll():
                return {}
            name = self.command.words[position]
            replaced = self._guarded(partial(replaced_text, text, name, dialect, self.options, self.report))
            if replaced is not None:
                found[position] = directory / f"{position}.i"
                found[position].write_text(replaced, encoding="utf-8", errors="surrogateescape")
        return found

    def _preprocessed(self, position: int, options: list[str]) -> str | None:
        call = [*self.compiler, *options, "-E", self.command.words[position]]
        done = subprocess.run(call, capture_output=True, check=False)
        return done.stdout.decode("utf-8", errors="surrogateescape") if done.returncode == 0 else None

    def _replace(self, texts: Mapping[int, Path], directory: Path) -> None:
        """Compile the texts, and put what comes out in the place of the compiler's own output."""
        outputs = self.command.outputs()
        if self.command.stage == "link":
            objects = {position: str(directory / f"{position}.o") for position in texts}
            for position, text in texts.items():
                self._compile(["-c", str(text), "-o", objects[position]])
            made = _beside(outputs[0])
            self._link([*self.command.linking(objects), "-o", str(made)], made)
            _take_place(made, outputs[0])
            return
        stage = "-c" if self.command.stage == "object" else "-S"
        for position, output in zip(self.command.sources, outputs, strict=True):
            if position in texts:
                made = _beside(output)
                self._compile([stage, str(texts[position]), "-o", str(made)], made)
                _take_place(made, output)

    def _compile(self, words: list[str], made: Path | None = None) -> None:
        exact = ["-ffp-contract=off"] if self.options.watch == "verify" else []
        self._call([*self.compiler, *self.command.compiling(), *exact, *_BEHIND, *words], made)

    def _link(self, words: list[str], made: Path) -> None:
        self._call([*self.compiler, *words, *_BEHIND], made)

    @staticmethod
    def _call(words: list[str], made: Path | None) -> None:
        done = subprocess.run(words, capture_output=True, encoding="utf-8", errors="replace", check=False)
        if done.returncode:
            if made is not None:
                made.unlink(missing_ok=True)
            first = next((line for line in done.stderr.splitlines() if "rror" in line), done.stderr.strip()[:200])
            raise CompilerFailed(f"TRV507: the compiler refuses the file with nests replaced: {first}")


def _beside(output: Path) -> Path:
    return output.with_name(f".{output.name}.tensorrv-{os.getpid()}")


def _take_place(made: Path, output: Path) -> None:
    os.chmod(made, output.stat().st_mode & 0o7777)
    os.replace(made, output)
