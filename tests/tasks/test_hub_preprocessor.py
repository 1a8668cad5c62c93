"""Preprocessing read from `preprocessor_config.json`."""

from __future__ import annotations

import pytest
from PIL.Image import Resampling

from webbuild.tasks.recognition.hub_preprocessor import pillow_interpolation


@pytest.mark.parametrize(
    ("resample", "interpolation"),
    [
        (Resampling.NEAREST, "nearest"),
        (Resampling.BILINEAR, "bilinear-antialias"),
        (Resampling.BICUBIC, "bicubic"),
        (Resampling.LANCZOS, "bilinear-antialias"),
        (Resampling.BOX, "bilinear-antialias"),
        (None, "bilinear"),
        ([3], "bilinear"),
    ],
)
def test_the_numbers_are_those_of_pillow(resample: object, interpolation: str) -> None:
    assert pillow_interpolation(resample, "bilinear") == interpolation
