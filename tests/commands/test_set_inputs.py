"""`--set NAME=VALUE`: an input becomes a constant, and what depends on it is folded."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.commands.program import webbuild
from tests.models import HEADER, parsed, save, weights
from tests.native import Session

pytestmark = pytest.mark.usefixtures("stand_in")

BY_RATE = f"""{HEADER}
voice (float[1,15,8,8] x, int64 sr) => (float[1,4,8,8] y)
<int64 wide = {{16000}}>
{{
  is_wide = Equal (sr, wide)
  y = If (is_wide) <
    then_branch = of_wide () => (float[1,4,8,8] a) {{ a = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x, w) }},
    else_branch = of_narrow () => (float[1,4,8,8] b) {{
      c = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x, w)
      b = Neg (c)
    }}>
}}
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    proto = parsed(BY_RATE)
    proto.graph.initializer.append(onnx.numpy_helper.from_array(weights(4, 15, 3, 3), "w"))
    return save(proto, tmp_path / "voice.onnx")


def test_a_convolution_in_a_branch_is_patched_and_needs_no_option_of_a_session(model: Path, tmp_path: Path) -> None:
    done = webbuild("patch", model, "-o", tmp_path / "out", "--target", "1.30.0-webgpu", "--json")
    assert done.code == 0, done.stderr
    (outcome,) = json.loads(done.stdout)
    (file,) = outcome["files"]
    assert (file["cpu_nodes"], outcome["interface"], outcome["compared"] > 0) == ([], [], True)
    codes = [each["code"] for each in outcome["rewrites"]["1.30.0-webgpu"] if each["applied"]]
    assert codes.count("pad-conv-channels") == 2


@pytest.mark.parametrize("rate", [8000, 16000])
def test_the_branch_is_decided_and_the_answers_are_those_of_the_original_at_that_value(
    model: Path, tmp_path: Path, rate: int
) -> None:
    done = webbuild("patch", model, "-o", tmp_path / "out", "--set", f"sr={rate}", "--json")
    assert done.code == 0, done.stderr
    (outcome,) = json.loads(done.stdout)
    patched = onnx.load(outcome["files"][0]["file"])
    assert [value.name for value in patched.graph.input] == ["x"]
    assert "If" not in {node.op_type for node in patched.graph.node}
    assert outcome["repairs"] == [f"input 'sr' is {rate}, a constant: --set"]
    x = np.random.default_rng(0).standard_normal((1, 15, 8, 8)).astype(np.float32)
    want = Session(onnx.load(model)).run({"x": x, "sr": np.array(rate)})["y"]
    np.testing.assert_allclose(Session(patched).run({"x": x})["y"], want, rtol=0, atol=1e-5 * np.abs(want).max())


def test_a_bundle_has_no_such_input_and_says_the_value(model: Path, tmp_path: Path) -> None:
    done = webbuild("pack", model, "-o", tmp_path / "bundle", "--set", "sr=16000", "--no-verify", "--json")
    assert done.code == 0, done.stderr
    manifest = json.loads((tmp_path / "bundle" / "manifest.json").read_text("utf-8"))
    assert [each["name"] for each in manifest["inputs"]] == ["x"]
    assert "input 'sr' is 16000, a constant: --set" in manifest["assumptions"]
    (types,) = (tmp_path / "bundle").glob("*.d.ts")
    assert "sr:" not in types.read_text("utf-8")


def test_the_inspection_assumes_the_value(model: Path) -> None:
    done = webbuild("inspect", model, "--target", "1.30.0-webgpu", "--set", "sr=16000", "--json")
    found = json.loads(done.stdout)
    assert [each["name"] for each in found["inputs"]] == ["x"]
    assert found["assumptions"] == ["input 'sr' is 16000, a constant: --set"]


@pytest.mark.parametrize(
    ("told", "error", "said"),
    [
        ("rate=16000", "unknown-input", "the inputs are: x, sr"),
        ("srr=16000", "unknown-input", "the nearest name is sr"),
        ("sr", "invalid-input-value", "this is not NAME=VALUE"),
        ("sr=fast", "invalid-input-value", "'fast' is not int64"),
        ("sr=1.5", "invalid-input-value", "'1.5' is not int64"),
        ("sr=16000,8000", "invalid-input-value", "2 numbers do not fill the input, of shape []"),
    ],
)
def test_what_does_not_fit_is_refused(model: Path, told: str, error: str, said: str) -> None:
    done = webbuild("inspect", model, "--target", "1.30.0-webgpu", "--set", told)
    assert (done.code, done.error) == (2, error)
    assert said in done.stderr
