"""Models that draw random numbers, such as text to speech: they cannot be compared unless the noise is 0."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.program import webbuild
from tests.models import HEADER, parsed, save
from webbuild.model.load import load_onnx

NOISY = f"""{HEADER} voice (int64[1,8] ids, float noise_scale) => (float[1,8] y)
<float[1,8] one = {{1, 1, 1, 1, 1, 1, 1, 1}}>
{{ x = Cast <to = 1> (ids) two = Add (one, one) loud = Mul (x, two)
   noise = RandomNormalLike (loud) scaled = Mul (noise, noise_scale) y = Add (loud, scaled) }}"""


@pytest.mark.usefixtures("stand_in")
def test_a_model_with_noise_is_warned_of_and_packs_without_it(tmp_path: Path) -> None:
    model = save(parsed(NOISY), tmp_path / "voice.onnx")
    noisy = webbuild("pack", model, "-o", tmp_path / "out", "--no-verify")
    assert "warning: [random-operator] RandomNormalLike 'noise': draws other numbers in each run" in noisy.stderr
    done = webbuild("pack", model, "-o", tmp_path / "silent", "--no-verify", "--set", "noise_scale=0")
    assert done.code == 0, done.stderr
    assert "proven: same results" in done.stderr


def test_other_models_are_not_warned_of(tmp_path: Path) -> None:
    text = NOISY.replace("RandomNormalLike", "Identity")
    assert load_onnx(save(parsed(text), tmp_path / "voice.onnx")).warnings == ()
