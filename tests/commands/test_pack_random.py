"""Models that draw random numbers, such as text to speech: they cannot be compared unless the noise is 0."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.program import webbuild
from tests.models import HEADER, parsed, save
from webbuild.model.load import load_onnx

NOISY = f"""{HEADER} voice (int64[1,8] ids, float[3] scales) => (float[1,8] y)
<float[1,8] one = {{1, 1, 1, 1, 1, 1, 1, 1}}, int64 first = {{0}}, int64 second = {{1}}>
{{ x = Cast <to = 1> (ids) two = Add (one, one) speed = Gather (scales, second) slow = Div (x, speed)
   loud = Mul (slow, two) random = RandomNormalLike (loud) noise = Mul (random, two)
   scale = Gather (scales, first) scaled = Mul (noise, scale) y = Add (loud, scaled) }}"""


@pytest.mark.usefixtures("stand_in")
def test_a_model_with_noise_is_compared_without_it(tmp_path: Path) -> None:
    done = webbuild("pack", save(parsed(NOISY), tmp_path / "voice.onnx"), "-o", tmp_path / "out", "--no-verify")
    assert done.code == 0, done.stderr
    assert "warning: [random-operator] RandomNormalLike 'random': draws other numbers in each run" in done.stderr
    assert "random values of 'scales': 0.5 to 1 or 0, for random noise" in done.stderr
    assert "proven: same results" in done.stderr


@pytest.mark.usefixtures("stand_in")
def test_noise_that_no_input_scales_is_named_as_the_reason(tmp_path: Path) -> None:
    model = save(parsed(NOISY.replace("Mul (noise, scale)", "Add (noise, scale)")), tmp_path / "voice.onnx")
    done = webbuild("pack", model, "-o", tmp_path / "out", "--no-verify")
    assert (done.code, done.error) == (1, "output-mismatch")
    assert "fix: the model draws other random numbers in each run" in done.stderr


def test_other_models_are_not_warned_of(tmp_path: Path) -> None:
    text = NOISY.replace("RandomNormalLike", "Identity")
    assert load_onnx(save(parsed(text), tmp_path / "voice.onnx")).warnings == ()
