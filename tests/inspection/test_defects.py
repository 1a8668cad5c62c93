"""Every defect: its finding exists before its pass runs, and is gone afterwards."""

from __future__ import annotations

from pathlib import Path

import onnx_ir as ir
import pytest

from tests.passes.case import Case, all_cases, outcome, tidy
from webbuild.inspection.finding import Finding
from webbuild.inspection.inspect import inspect
from webbuild.passes.registry import all_passes
from webbuild.passes.workarounds.base import Defect
from webbuild.targets.browser_differences import load_differences
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

TABLE = load_table(Target("1.30.0", "webgpu"))
IN_BOTH = load_differences(TABLE.target, "firefox") or pytest.fail("not measured in Firefox")
"""Not in the tables: float16, measured in Firefox and Chromium."""
TRAPS = Path(__file__).parents[2] / "benchmarks" / "traps"
KINDS = [kind for kind in all_passes() if issubclass(kind, Defect)]
DEFECT = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
CASES = [case for case in all_cases() if issubclass(case.kind, Defect)]
EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def findings(kind: type[Defect], model: ir.Model) -> list[Finding]:
    codes = {kind.finding, *kind.other_findings}
    return [finding for finding in inspect("", model, TABLE, {}).findings if finding.code in codes]


def fixed(case: Case, model: ir.Model) -> list[Finding]:
    assert issubclass(case.kind, Defect)
    return [finding for finding in findings(case.kind, model) if case.kind.code in finding.fixed_by]


@EACH
def test_the_pass_that_inspect_names_is_the_one_that_changes_the_model(case: Case) -> None:
    assert issubclass(case.kind, Defect)
    before, after = fixed(case, case.load()), fixed(case, tidy(outcome(case).model))
    assert not after, "the pass did not fix what inspect says that it fixes"
    if case.keep:
        assert not before, "inspect names a pass that keeps the model as it is"
    elif not case.kind.also_rewrites:
        assert before, "a pass rewrites what inspect does not find"


@DEFECT
def test_a_defect_has_a_case_that_it_shows_in(kind: type[Defect]) -> None:
    assert any(fixed(case, case.load()) for case in CASES if case.kind.code == kind.code)


@DEFECT
def test_what_a_probe_measured_is_the_outcome_of_the_defect(kind: type[Defect]) -> None:
    if "/" not in kind.probe:
        model = ir.from_onnx_text((TRAPS / f"{kind.probe}.onnx.txt").read_text("utf-8"))
        assert {finding.outcome for finding in findings(kind, model)} == {kind.outcome}
        return
    measured = [case for case in (*TABLE.cases, *IN_BOTH.failing) if case.name == kind.probe]
    assert measured, "no case of this name was measured"
    assert {case.op for case in measured} <= set(kind.operators)
    assert {case.outcome for case in measured} == {kind.outcome}
