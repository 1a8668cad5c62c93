"""Models with state in Chromium: every step of a sequence equals native ONNX Runtime's."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from e2e.conftest import Webbuild
from tests.models import save
from tests.stateful import MATTING, VOICE, stateful
from webbuild.browser.bidi import BidiPage
from webbuild.browser.chromium import BrowserHandle
from webbuild.browser.server import Server
from webbuild.manifest.inputs.tensor import TensorInput
from webbuild.manifest.states import state_inputs
from webbuild.preprocess.state_feeds import state_feeds
from webbuild.runners.stateful import StatefulRuns
from webbuild.samples.sequences import STEPS
from webbuild.verify.bundle_reader import open_bundle
from webbuild.verify.page_runner import PageRunner
from webbuild.verify.reference import reference_runner

FRAMES = int(os.environ.get("WEBBUILD_FRAMES", "32"))


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


def test_firefox_carries_the_states(webbuild: Webbuild, firefox_webgpu: BidiPage, tmp_path: Path) -> None:
    model = save(stateful(VOICE), tmp_path / "voice.onnx")
    packed = webbuild("pack", model, "-o", tmp_path / "out", "--set", "sr=16000", "--no-verify")
    assert packed.returncode == 0, packed.stderr
    bundle = open_bundle(tmp_path / "out")
    inputs = bundle.manifest.inputs
    native = StatefulRuns(reference_runner(bundle).run, state_inputs(inputs))
    generator = np.random.default_rng(5)
    with Server(tmp_path / "out") as server:
        page = PageRunner(firefox_webgpu, server, "webgpu")
        assert page.load(bundle.loader_file, "webgpu").backend == "webgpu"
        page.reset()
        for step in range(FRAMES):
            heard = {
                spec.name: generator.standard_normal(spec.shape).astype(np.float32)
                for spec in inputs
                if isinstance(spec, TensorInput)
            }
            want = native({**heard, **state_feeds(inputs)}, continues=step > 0)
            got, _ = page.run_timed(heard)
            np.testing.assert_allclose(got["output"], want["output"], rtol=0, atol=1e-4, err_msg=f"step {step}")
        page.dispose()
    assert firefox_webgpu.console.complaints == []
