"""Which part of a measurement a table stores."""

from __future__ import annotations

import pytest

from webbuild.probe.record import ProbeRecord
from webbuild.probe.table_writer import build_table
from webbuild.targets.table import MeasuredCase, Outcome
from webbuild.targets.target import Build, Target

OUTCOMES: tuple[Outcome, ...] = ("gpu", "cpu", "throws", "wrong")
LINES = {
    outcome: ProbeRecord(outcome, case=MeasuredCase(name=outcome, op="Abs", opset=17, dtype="float", outcome=outcome))
    for outcome in OUTCOMES
} | {"refused": ProbeRecord("refused", reason="no kernel")}


@pytest.mark.parametrize(("build", "kept"), [("webgpu", OUTCOMES), ("wasm", ("gpu", "throws", "wrong"))])
def test_without_a_gpu_only_what_differs_from_native_is_told(build: Build, kept: tuple[Outcome, ...]) -> None:
    made = build_table(Target("1.30.0", build), "adapter", "browser", [], LINES, LINES)
    assert tuple(case.outcome for case in made.cases) == kept
