"""The detection tails of two real exports, and synthetic detections to feed them.

`tails/` contains the tails that `tests/passes/cut_tail.py` cut from pose exports with 80 classes, 17 keypoints, 756
anchors and 100 rows, made with nms=True by Ultralytics 8.4 (TorchScript exporter) and 8.3 (dynamo exporter).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from tests.native import Session
from webbuild.manifest.manifest import TargetName
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import LoweredGraphs, lower

FILES = sorted((Path(__file__).parent / "tails").glob("*.onnx.txt"))
NAMES = [file.name.removesuffix(".onnx.txt") for file in FILES]
CLASSES, KEYPOINT_VALUES, ANCHORS, ROWS = 80, 51, 756, 100
CONFIDENCE, IOU = 0.25, 0.7

Rows = NDArray[np.float32]


class Detection(Struct, frozen=True):
    """One anchor's values: corners in pixels, the score of one class."""

    box: tuple[float, float, float, float]
    score: float
    label: int = 0


class Answer(Struct, frozen=True):
    """Rows [100, 57] of a graph, and its status outputs."""

    rows: Rows
    converged: bool = True
    candidates: int = 0

    @property
    def found(self) -> Rows:
        return self.rows[self.rows[:, 4] > 0]


class Head:
    """The three graphs of one tail."""

    folder = Path(__file__).parent / "tails"
    exported = (CONFIDENCE, IOU)

    def __init__(self, name: str, confidence: float | None = None, iou: float | None = None) -> None:
        text = (self.folder / f"{name}.onnx.txt").read_text("utf-8")
        for old, new in zip(self.exported, (confidence, iou), strict=True):
            assert text.count(f"{{{old}}}") == 1
            text = text.replace(f"{{{old}}}", f"{{{old if new is None else new!r}}}")
        model = ir.from_onnx_text(text)
        self.input = str(model.graph.inputs[0].name)
        self.plan: LoweredGraphs = lower(model, PassOptions())
        self._original = Session(model)
        self._sessions = {target: Session(patched) for target, patched in self.plan.graphs.items()}

    def original(self, raw: NDArray[Any]) -> Rows:
        return np.asarray(self._original.run({self.input: raw})["output0"][0])

    def run(
        self, target: TargetName, raw: NDArray[Any], confidence: float | None = None, iou: float | None = None
    ) -> Answer:
        given = zip(("confidence", "iou"), (confidence, iou), self.exported, strict=True)
        thresholds = {name: np.array([old if new is None else new], np.float32) for name, new, old in given}
        outputs = self._sessions[target].run({self.input: raw, **thresholds})
        status = outputs.get("head_status")
        if status is None:
            return Answer(outputs["output0"][0])
        return Answer(outputs["output0"][0], bool(status[0] == 1), int(status[1]))


@cache
def head(name: str) -> Head:
    return Head(name)


def raw_output(detections: Sequence[Detection], seed: int = 0) -> NDArray[np.float32]:
    """Return the raw output [1, 135, 756] in which anchor i has detection i and the others have low scores.

    Keypoints are random, so that a row shows which anchor it comes from.
    """
    raw = np.random.default_rng(seed).uniform(0, 192, (1, 4 + CLASSES + KEYPOINT_VALUES, ANCHORS)).astype(np.float32)
    raw[0, 4 : 4 + CLASSES] = 0.01
    for anchor, detection in enumerate(detections):
        raw[0, :4, anchor] = detection.box
        raw[0, 4 + detection.label, anchor] = detection.score
    return raw


def apart(count: int) -> list[tuple[float, float, float, float]]:
    """Return boxes that do not overlap, in a grid of 32 columns."""
    return [(6.0 * (i % 32), 6.0 * (i // 32), 6.0 * (i % 32) + 4, 6.0 * (i // 32) + 4) for i in range(count)]


def chain(count: int) -> list[Detection]:
    """Return boxes of decreasing score; each overlaps the next by 9/11 and the one after by 8/12."""
    return [Detection((i, 0.0, i + 10.0, 10.0), 0.9 - 0.01 * i) for i in range(count)]
