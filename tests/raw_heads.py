"""Raw outputs of detectors, and graphs with an appended head."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from tests.native import Session
from webbuild.manifest.manifest import TargetName
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import lower
from webbuild.postprocess.output_names import DETECTIONS
from webbuild.postprocess.yolo import YoloPostprocess

SIDE = 96
Floats = NDArray[np.float32]


class Box(Struct, frozen=True):
    """One anchor's values: centre and size in pixels, the score of one class."""

    centre: tuple[float, float]
    size: tuple[float, float]
    score: float
    label: int = 0


def head(classes: int = 3, extra: int = 0, agnostic: bool = False, rows: int = 5) -> YoloPostprocess:
    return YoloPostprocess(
        output="raw",
        layout="columns",
        size=(SIDE, SIDE),
        classes=classes,
        extra_columns=extra,
        class_agnostic=agnostic,
        max_detections=rows,
    )


def raw_output(raw: YoloPostprocess, boxes: Sequence[Box], anchors: int, seed: int = 0) -> Floats:
    """Return the raw output in which anchor i has box i and the others have none; other columns are random."""
    table = np.zeros((anchors, raw.row_width), np.float32)
    first, draw = raw.first_score, np.random.default_rng(seed)
    table[:, first + raw.classes :] = draw.uniform(0, SIDE, (anchors, raw.extra_columns))
    table[:, first - raw.skipped_columns : first] = draw.uniform(0, SIDE, (anchors, raw.skipped_columns))
    for anchor, box in enumerate(boxes):
        table[anchor, :4] = *box.centre, *box.size
        table[anchor, first + box.label] = box.score
        if raw.layout == "rows":
            table[anchor, 4] = 1
    return (table.T if raw.layout == "columns" else table)[None]


class Appended:
    """Both targets' graphs for a model that is only its raw output."""

    def __init__(self, raw: YoloPostprocess, shape: Sequence[int]) -> None:
        sizes = ",".join(map(str, shape))
        text = f"""<ir_version: 8, opset_import: ["" : 17]>
        g (float[{sizes}] x) => (float[{sizes}] raw) <float one = {{1.0}}> {{ raw = Mul (x, one) }}"""
        self.plan = lower(ir.from_onnx_text(text), PassOptions(missing_postprocess=raw))
        self._sessions = {target: Session(model) for target, model in self.plan.graphs.items()}

    def run(self, target: TargetName, raw: Floats, **thresholds: float) -> dict[str, NDArray[Any]]:
        """Return the outputs at confidence 0.25 and IoU 0.7, or at the given thresholds."""
        values = {"confidence": 0.25, "iou": 0.7, **thresholds}
        return self._sessions[target].run({"x": raw, **{k: np.array([v], np.float32) for k, v in values.items()}})

    def rows(self, target: TargetName, raw: Floats, **thresholds: float) -> Floats:
        return np.asarray(self.run(target, raw, **thresholds)[DETECTIONS])
