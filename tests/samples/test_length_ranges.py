"""Random lengths are lengths of another input: a mask of nothing would prove nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.program import webbuild
from tests.models import HEADER, parsed, save
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.samples.length_ranges import length_ranges

AUDIO = TensorSpec("audio", "float32", (None, 80, "time"))
TEXT = TensorSpec("text", "int64", (1, 300))
DIMS = {"audio:0": 1, "audio:2": 64}


@pytest.mark.parametrize(
    ("name", "dtype", "shape", "size"),
    [
        ("audio_lens", "int64", (None,), 64),
        ("Audio_Length", "int32", (), 64),
        ("text_lengths", "int64", (1,), 300),
        ("length", "int64", (1,), 64),
        ("wavelength", "int64", (1,), None),
        ("audio_lens", "float32", (1,), None),
        ("audio_lens", "int64", (1, 2), None),
    ],
)
def test_the_axis_after_the_batch_is_measured(
    name: str, dtype: str, shape: tuple[int | None, ...], size: int | None
) -> None:
    inputs = (AUDIO, TEXT, TensorSpec(name, dtype, shape))
    found = length_ranges(ModelSignature("m.onnx", "", {}, inputs, ()), DIMS)
    assert {each: (known.low, known.high) for each, known in found.items()} == (
        {} if size is None else {name: (size // 2, size)}
    )


def test_what_a_length_masks_can_be_proven(tmp_path: Path) -> None:
    text = f"""{HEADER} features (float[N,T] x, int64[N] x_lens) => (float[N,T] y)
    <int64 zero = {{0}}, int64 one = {{1}}, float none = {{0.0}}, int64[1] last = {{1}}, int64[1] end = {{2}}> {{
        s = Shape (x) t1 = Slice (s, last, end) t = Squeeze (t1) r = Range (zero, t, one)
        less = Add (r, one) l = Unsqueeze (x_lens, last) inside = Less (less, l) y = Where (inside, x, none)
    }}"""
    done = webbuild("pack", save(parsed(text), tmp_path / "m.onnx"), "-o", tmp_path / "out", "--no-verify")
    assert done.code == 0, done.stderr
    assert "random values of 'x_lens': 64 to 128, for a length" in done.stderr


def test_lengths_are_whole_if_the_model_fails_with_shorter_ones(tmp_path: Path) -> None:
    """A mask as long as the longest length, as torchaudio and ESPnet make it."""
    text = f"""{HEADER} features (float[1,T,2] x, int64[1] x_lens) => (float[1,T,2] y)
    <int64 zero = {{0}}, int64 one = {{1}}, float none = {{0.0}}, int64[1] last = {{1}}, int64[1] end = {{2}}> {{
        t = ReduceMax <keepdims = 0> (x_lens) r = Range (zero, t, one) l = Unsqueeze (x_lens, last)
        inside = Less (r, l) mask = Unsqueeze (inside, end) y = Where (mask, x, none)
    }}"""
    done = webbuild("pack", save(parsed(text), tmp_path / "m.onnx"), "-o", tmp_path / "out", "--no-verify")
    assert done.code == 0, done.stderr
    assert "random values of 'x_lens': 128, for a length: the model fails with shorter ones" in done.stderr
