"""A model for which native ONNX Runtime lacks a kernel is compared with a rewritten form that needs no such kernel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.program import webbuild
from tests.compared import verdicts
from tests.models import parsed, save
from webbuild.equivalence.open_reference import open_reference
from webbuild.errors import WebbuildError
from webbuild.model.load import load_onnx

SAMPLED = """<ir_version: 8, opset_import: ["" : 17]>
sampled (float[1,2,4,4] x, float[1,3,3,2] grid) => (float[1,2,3,3] y)
<double half = {0.5}>
{
  wide = Cast <to = 11> (x)
  wider = Cast <to = 11> (grid)
  scaled = Mul (wider, half)
  taken = GridSample (wide, scaled)
  y = Cast <to = 1> (taken)
}
"""


def test_it_is_packed_and_the_report_says_what_it_was_compared_with(tmp_path: Path) -> None:
    save(parsed(SAMPLED), tmp_path / "sampled.onnx")
    done = webbuild("pack", tmp_path / "sampled.onnx", "-o", tmp_path / "bundle", "--no-verify", "--json")
    assert done.code == 0, done.stderr
    report = json.loads(done.stdout)["pack"]
    assert any("the original after float64-to-float32" in told for told in report["assumptions"])
    assert verdicts(report["comparisons"]) == {"OK"}


def test_what_is_refused_for_another_reason_stays_refused(tmp_path: Path) -> None:
    text = SAMPLED.replace("Mul (wider, half)", "Mul (wider, whole)").replace(
        "double half = {0.5}", "double half = {0.5}, double[5] whole = {1, 2, 3, 4, 5}"
    )
    save(parsed(text), tmp_path / "wrong.onnx")
    with pytest.raises(WebbuildError) as caught:
        open_reference(load_onnx(tmp_path / "wrong.onnx"))
    assert caught.value.code == "reference-session-failed"


def test_what_runs_in_float64_is_compared_in_float64(tmp_path: Path) -> None:
    save(
        parsed(SAMPLED.replace("GridSample (wide, scaled)", "Mul (wide, half)").replace("[1,2,3,3] y", "[1,2,4,4] y")),
        tmp_path / "fine.onnx",
    )
    _, assumed = open_reference(load_onnx(tmp_path / "fine.onnx"))
    assert assumed == ()


def test_a_choice_between_masks_that_native_has_no_kernel_for_is_packed(tmp_path: Path) -> None:
    chosen = """<ir_version: 8, opset_import: ["" : 17]>
    chosen (float[3,4] x, float[3,1] z) => (float[3,4] y)
    <float half = {0.5}>
    {
      a = Greater (x, half)
      b = Less (x, half)
      c = Greater (z, half)
      d = Where (c, a, b)
      y = Where (d, x, half)
    }
    """
    save(parsed(chosen), tmp_path / "chosen.onnx")
    done = webbuild("pack", tmp_path / "chosen.onnx", "-o", tmp_path / "bundle", "--no-verify", "--json")
    assert done.code == 0, done.stderr
    assert any(
        "The reference is the original after decompose-bool-where" in told
        for told in json.loads(done.stdout)["pack"]["assumptions"]
    )
