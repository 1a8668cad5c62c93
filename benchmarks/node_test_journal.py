"""Results of ONNX's own tests, appended line by line: an interrupted run continues where it stopped."""

from __future__ import annotations

import subprocess
from pathlib import Path

import msgspec
from msgspec import Struct

from benchmarks.node_test_report import Result, Results, When

_ROOT = Path(__file__).parents[1]


class _Line(Struct, frozen=True):
    state: str
    when: When
    name: str
    result: Result


class ResultJournal:
    """The results so far, all of one state of the passes: the commit, with a plus if there are local changes."""

    def __init__(self, file: Path | None) -> None:
        """Read a file's results. Raises SystemExit if they were measured in another state."""
        self.state = _state()
        self._file = file
        self._results: dict[When, Results] = {"before": {}, "after": {}}
        for text in file.read_bytes().splitlines() if file is not None and file.exists() else ():
            line = msgspec.json.decode(text, type=_Line)
            if line.state != self.state:
                raise SystemExit(f"{file} is of {line.state}, this is {self.state}: begin another file")
            self._results[line.when][line.name] = line.result

    def has(self, when: When, name: str) -> bool:
        """Whether a test was run."""
        return name in self._results[when]

    def add(self, when: When, name: str, result: Result) -> None:
        """Append a result."""
        self._results[when][name] = result
        if self._file is not None:
            with self._file.open("ab") as file:
                file.write(msgspec.json.encode(_Line(self.state, when, name, result)) + b"\n")

    def results(self, when: When) -> Results:
        """Return the results by name, sorted."""
        return dict(sorted(self._results[when].items()))


def _state() -> str:
    commit = _git("describe", "--always", "--abbrev=10")
    return f"{commit}+" if _git("status", "--porcelain", "--", "webbuild", "bench") else commit


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=_ROOT, check=True, capture_output=True, text=True).stdout.strip()
