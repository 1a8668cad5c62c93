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
    ("text", "options", "sequence"),
    [
        (VOICE, ("--set", "sr=16000"), f"{STEPS} steps of tensors"),
        (MATTING, ("--dim", "h=32", "--dim", "w=48"), f"{STEPS} frames of one.jpg"),
    ],
    ids=["voice", "matting"],
)
def test_both_backends_carry_the_states(
    webbuild: Webbuild, webgpu: BrowserHandle, tmp_path: Path, text: str, options: tuple[str, ...], sequence: str
) -> None:
    model = save(stateful(text), tmp_path / "model.onnx")
    done = webbuild("pack", model, "-o", tmp_path / "out", "--json", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    benched = webbuild("bench", tmp_path / "out", "--json", "--backend", "webgpu")
    assert benched.returncode == 0, benched.stdout + benched.stderr  # loaded as by a visitor, self-test included
    verified = json.loads(done.stdout)["verify"]
    assert [each["title"] for each in verified["samples"]].count(sequence) == 1
    assert {run["backend"] for run in verified["backends"]} == {"webgpu", "wasm"}
    for run in verified["backends"]:
        (steps,) = (each for each in run["results"] if each["sample"] == sequence)
        assert steps["comparisons"]
        assert {each["verdict"] for each in steps["comparisons"]} == {"OK"}
