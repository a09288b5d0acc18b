"""The README's example prints what the README shows."""

import re
from pathlib import Path

from tensorrv.cli.gen import main

ROOT = Path(__file__).parents[2]


def test_example(tmp_path, monkeypatch, capsys):
    shown = (ROOT / "README.md").read_text().partition("## Example")[2]
    lines = [line[4:] for line in re.search(r"(?:^    .*\n|^\n)+", shown, re.M).group().splitlines()]
    commands = [k for k, line in enumerate(lines) if line.startswith("$ ")]
    source, command = commands
    monkeypatch.chdir(tmp_path)
    Path(lines[source].split()[-1]).write_text("\n".join(lines[source + 1 : command]) + "\n")
    # verification needs a processor that runs the code; without it everything else is the same
    words = lines[command].split()[2:]
    assert main([word for word in words if word != "--verify"]) == 0
    printed = capsys.readouterr().out.splitlines()
    for line in lines[command + 1 :]:
        beginning = line.partition("[...]")[0].rstrip()
        if "verified" not in line:
            assert any(found.startswith(beginning) for found in printed), line
