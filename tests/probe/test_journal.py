"""A measurement that was interrupted goes on."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from webbuild.probe.journal import ProbeJournal, ProbeRecord, probe_digest
from webbuild.probe.probe_model import make_probe
from webbuild.targets.table import CaseInput, MeasuredCase

CASE = MeasuredCase(
    name="a/b",
    op="Pad",
    opset=17,
    dtype="float",
    outcome="wrong",
    error=2.5,
    attributes={"mode": "wrap", "pads": [1, 2], "value": 0.5},
    inputs=[CaseInput("float", [1, 2]), None, CaseInput("int64", [2], [0, -1])],
)
LINES = [
    ProbeRecord("sweep/Abs 6 float", placement="gpu"),
    ProbeRecord("a/b", case=CASE),
    ProbeRecord("a/c", reason="no kernel"),
]


def test_what_was_measured_is_there_again(tmp_path: Path) -> None:
    file = tmp_path / "cache" / "journal.jsonl"
    first = ProbeJournal(file, resume=True)
    first.add(LINES[:1])
    first.add(LINES[1:])
    again = ProbeJournal(file, resume=True)
    assert list(again.lines.values()) == LINES
    assert again.lines["a/b"].case == CASE


def test_a_new_measurement_begins_empty(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    ProbeJournal(file, resume=False).add(LINES)
    assert ProbeJournal(file, resume=False).lines == {}
    assert ProbeJournal(file, resume=True).lines == {}


def test_half_a_line_is_dropped_and_written_over(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    ProbeJournal(file, resume=False).add(LINES)
    file.write_bytes(file.read_bytes()[:-7])
    again = ProbeJournal(file, resume=True)
    assert list(again.lines) == [line.name for line in LINES[:-1]]
    again.add(LINES[-1:])
    assert list(ProbeJournal(file, resume=True).lines.values()) == LINES


def test_a_complete_one_leaves_nothing(tmp_path: Path) -> None:
    journal = ProbeJournal(tmp_path / "journal.jsonl", resume=False)
    journal.add(LINES)
    journal.delete()
    assert list(tmp_path.iterdir()) == []


def test_a_probe_that_changed_was_not_measured(tmp_path: Path) -> None:
    x = np.zeros((2, 3), np.float32)
    before = make_probe("a/b", x, op="Softmax", axis=0)
    journal = ProbeJournal(tmp_path / "journal.jsonl", resume=False)
    journal.add([ProbeRecord("a/b", probe_digest(before), case=CASE)])
    assert journal.has(before)
    assert not journal.has(make_probe("a/c", x, op="Softmax", axis=0))
    for changed in (make_probe("a/b", x, op="Softmax", axis=1), make_probe("a/b", x + 1, op="Softmax", axis=0)):
        assert not journal.has(changed)
