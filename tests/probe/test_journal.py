"""An interrupted measurement resumes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from webbuild.ortweb.result_journal import Journal
from webbuild.probe.probe_model import make_probe
from webbuild.probe.record import ProbeRecord, is_measured, probe_digest
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
RECORDS = {
    "sweep/Abs 6 float": ProbeRecord("sweep/Abs 6 float", placement="gpu"),
    "a/b": ProbeRecord("a/b", case=CASE),
    "a/c": ProbeRecord("a/c", reason="no kernel"),
}


def test_what_was_measured_is_there_again(tmp_path: Path) -> None:
    file = tmp_path / "cache" / "journal.jsonl"
    first = Journal(ProbeRecord, file, resume=True)
    for name, record in RECORDS.items():
        first.add({name: record})
    again = Journal(ProbeRecord, file, resume=True)
    assert again.records == RECORDS


def test_a_new_measurement_begins_empty(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    Journal(ProbeRecord, file, resume=False).add(RECORDS)
    assert Journal(ProbeRecord, file, resume=False).records == {}
    assert Journal(ProbeRecord, file, resume=True).records == {}


def test_half_a_line_is_dropped_and_written_over(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    Journal(ProbeRecord, file, resume=False).add(RECORDS)
    file.write_bytes(file.read_bytes()[:-7])
    again = Journal(ProbeRecord, file, resume=True)
    assert list(again.records) == ["sweep/Abs 6 float", "a/b"]
    again.add({"a/c": RECORDS["a/c"]})
    assert Journal(ProbeRecord, file, resume=True).records == RECORDS


def test_a_complete_one_leaves_nothing(tmp_path: Path) -> None:
    journal = Journal(ProbeRecord, tmp_path / "journal.jsonl", resume=False)
    journal.add(RECORDS)
    journal.delete()
    assert list(tmp_path.iterdir()) == []


def test_a_probe_that_changed_was_not_measured(tmp_path: Path) -> None:
    x = np.zeros((2, 3), np.float32)
    before = make_probe("a/b", x, op="Softmax", axis=0)
    journal = Journal(ProbeRecord, tmp_path / "journal.jsonl", resume=False)
    journal.add({"a/b": ProbeRecord("a/b", probe_digest(before), case=CASE)})
    assert is_measured(before, journal)
    assert not is_measured(make_probe("a/c", x, op="Softmax", axis=0), journal)
    for changed in (make_probe("a/b", x, op="Softmax", axis=1), make_probe("a/b", x + 1, op="Softmax", axis=0)):
        assert not is_measured(changed, journal)
