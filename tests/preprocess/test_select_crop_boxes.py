"""Which boxes are cropped."""

from __future__ import annotations

import pytest

from webbuild.manifest.manifest import CropInput
from webbuild.preprocess.crop import select_crop_boxes
from webbuild.preprocess.crop_box import CropBox

BOXES = [
    CropBox((0, 0, 8, 8), 0.9, 0),
    CropBox((2, 2, 2, 9), 0.8, 0),
    CropBox((3, 5, 9, 5), 0.7, 0),
    CropBox((1, 1, 5, 5), 0.6, 1),
    CropBox((4, 4, 9, 9), 0.3, 0),
]


@pytest.mark.parametrize(
    ("said", "scores"),
    [
        ({}, [0.9, 0.6, 0.3]),
        ({"classes": [0]}, [0.9, 0.3]),
        ({"min_score": 0.6}, [0.9, 0.6]),
        ({"max_crops": 1}, [0.9]),
        ({"classes": [7]}, []),
    ],
    ids=["those with an area", "of a class", "of a score", "the best", "of no class"],
)
def test_boxes_that_are_cut(said: dict[str, object], scores: list[float]) -> None:
    plain = {"name": "input", "shape": [1, 3, 8, 8], "scale": 1.0, "mean": [0.0] * 3, "std": [1.0] * 3}
    spec = CropInput(**plain, **said)  # type: ignore[arg-type]
    assert [each.score for each in select_crop_boxes(BOXES, spec)] == scores
