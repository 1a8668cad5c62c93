"""Boxes offset by class times the candidates' largest coordinate, as torchvision does in batched NMS."""

from __future__ import annotations

from typing import get_args

import numpy as np
import onnx_ir as ir
import pytest

from tests.native import Session
from tests.passes.case import FOLDER
from webbuild.passes.base import NmsPlacement, PassOptions
from webbuild.passes.lower import TARGETS, lower

TAIL = (FOLDER / "static-nms" / "keep_boxes_apart_by_the_largest.onnx.txt").read_text("utf-8")
FEEDS = {
    # two overlapping pairs, one separate box, and three below the threshold, one of them far larger than the image
    "boxes": np.array(
        [
            [10, 10, 30, 30], [12, 10, 32, 30], [60, 60, 80, 80], [61, 61, 81, 81], [100, 10, 120, 30],
            [0, 0, 5, 5], [1, 1, 6, 6], [0, 0, 1e8, 1e8],
        ],
        np.float32,
    ),
    "scores": np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.1, 0.1, 0.05], np.float32),
    "classes": np.array([3, 3, 7, 7, 2, 1, 1, 0], np.float32),
    "confidence": np.array([0.25], np.float32),
    "iou": np.array([0.5], np.float32),
}  # fmt: skip


@pytest.mark.parametrize("nms", get_args(NmsPlacement))
@pytest.mark.parametrize("target", TARGETS)
def test_a_box_below_the_threshold_moves_no_other(nms: NmsPlacement, target: str) -> None:
    original = ir.from_onnx_text(TAIL)
    want = Session(original).run(FEEDS)["rows"]
    assert want[:, 4].tolist() == pytest.approx([0.9, 0.7, 0.5])
    graph = lower(original.clone(), PassOptions(nms=nms)).graphs[target]  # type: ignore[index]
    session = Session(graph)
    got = session.run({name: array for name, array in FEEDS.items() if name in session.types})
    np.testing.assert_array_equal(got["rows"].reshape(-1, 5)[:3], want)
