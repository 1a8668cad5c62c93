"""Photographs for models that take an image and other tensors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import TensorInput
from webbuild.samples.collect import collect_samples
from webbuild.samples.random_inputs import SAMPLE_IMAGES

PHOTOGRAPHS = sorted(SAMPLE_IMAGES.glob("*.jpg"))[:2]
PICTURE = TensorInput(name="image", dtype="float32", shape=[1, 3, 32, 48])
KEPT = TensorInput(name="keep", dtype="float32", shape=[1, 1, 16, 24])


def test_photographs_fill_the_picture_and_the_other_tensor_is_made_up() -> None:
    samples = collect_samples(Path("model.onnx"), PHOTOGRAPHS, [PICTURE, KEPT])

    assert [sample.name for sample in samples] == [f"{file.name} (random 'keep')" for file in PHOTOGRAPHS]
    first, second = (sample.feeds for sample in samples)
    assert first["image"].shape == (1, 3, 32, 48)
    assert 0 <= first["image"].min() < first["image"].max() <= 1
    assert not np.array_equal(first["image"], second["image"])
    assert first["keep"].shape == (1, 1, 16, 24)
    assert first["keep"].std() > 0


@pytest.mark.parametrize(
    "inputs", [[PICTURE, TensorInput(name="other", dtype="float32", shape=[1, 3, 32, 48])], [KEPT]]
)
def test_photographs_are_refused_where_no_input_or_either_of_two_takes_them(inputs: list[TensorInput]) -> None:
    with pytest.raises(WebbuildError, match="no input of the model takes a picture"):
        collect_samples(Path("model.onnx"), PHOTOGRAPHS, inputs)
