"""Models that remember, in Chromium: every step of a sequence is what native ONNX Runtime computes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from e2e.conftest import Webbuild
from tests.models import save
from tests.stateful import MATTING, VOICE, stateful
from webbuild.browser.chromium import BrowserHandle
from webbuild.samples.sequences import STEPS


@pytest.mark.parametrize(
    ("text", "options", "sequence", "compared"),
    [
        (VOICE, ("--set", "sr=16000"), f"{STEPS} steps of tensors", {"raw output", "raw stateN"}),
        (
            MATTING,
            ("--dim", "h=32", "--dim", "w=48"),
            f"{STEPS} frames of one.jpg",
            {"raw pha", "raw r1o", "raw r2o", "decoded pha"},
        ),
    ],
    ids=["voice", "matting"],
)
def test_both_backends_carry_the_states(
    webbuild: Webbuild,
    webgpu: BrowserHandle,
    tmp_path: Path,
    text: str,
    options: tuple[str, ...],
    sequence: str,
    compared: set[str],
) -> None:
    model = save(stateful(text), tmp_path / "model.onnx")
    done = webbuild("pack", model, "-o", tmp_path / "out", "--json", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    verified = json.loads(done.stdout)["verify"]
    assert [each["title"] for each in verified["samples"]].count(sequence) == 1
    assert {run["backend"] for run in verified["backends"]} == {"webgpu", "wasm"}
    for run in verified["backends"]:
        (steps,) = (each for each in run["results"] if each["sample"] == sequence)
        subjects = [each["subject"] for each in steps["comparisons"]]
        assert compared <= {f"{each['stage']} {each['quantity'] or each['output']}" for each in subjects}
        assert {each["verdict"] for each in steps["comparisons"]} == {"OK"}
