"""Which tensors are taken for pictures."""

from __future__ import annotations

import pytest

from webbuild.manifest.manifest import TensorInput
from webbuild.preprocess.picture_shape import may_be_spectrogram, picture_of_shape


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("input_1", [1, 76, 32, 1]),
        ("input", [1, 1, 96, 64]),
        ("x", [1, 1, 80, 300]),
        ("x", [1, 1, 998, 128]),
        ("log_mel", [1, 1, 128, 128]),
        ("audio", [1, 1, 64, 400]),
    ],
)
def test_a_spectrogram_is_no_grey_picture(name: str, shape: list[int]) -> None:
    assert may_be_spectrogram(TensorInput(name=name, dtype="float32", shape=shape))


@pytest.mark.parametrize(
    "shape", [[1, 1, 28, 28], [1, 96, 96, 1], [1, 1, 32, 100], [1, 1, 480, 640], [1, 3, 96, 64], [1, 76, 32, 3]]
)
def test_a_grey_square_or_line_and_any_colours_are_a_picture(shape: list[int]) -> None:
    spec = TensorInput(name="input", dtype="float32", shape=shape)
    assert picture_of_shape(spec) is not None
    assert not may_be_spectrogram(spec)
