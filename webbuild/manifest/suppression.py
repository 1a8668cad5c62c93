"""Non-maximum suppression (NMS) of boxes that the runtime computes after a graph."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Count
from webbuild.manifest.output import Output

SUPPRESSION_KEY = "webbuild.suppression"
"""Metadata key of an ONNX file for its `Suppression`, as JSON."""


class MultiLabel(ManifestStruct, kw_only=True, frozen=True):
    """Multi-label NMS: every label has a score for each box, and each label is suppressed separately.

    At most `max_detections` boxes are kept per label. With the `order` `score` rows are sorted by score over all
    labels, ties by label and then by box. With `label` they are sorted by label, then by score. If a box is kept for a
    label, `score_column` of its row is this score, and `label_column` this label.
    """

    count: Count
    max_detections: Count
    order: Literal["score", "label"]
    score_column: Count | UnsetType = UNSET
    label_column: Count | UnsetType = UNSET


class Suppression(ManifestStruct, kw_only=True, frozen=True):
    """Exact greedy NMS after a graph, in the runtime's compute shader.

    It runs on the CPU if the shader's result could differ. Instead of `outputs` the file has three float32 outputs for
    all A anchors:

    - `boxes` [A, 4]: two corners, with an offset per class so that boxes of different classes do not overlap;
    - `scores` [A], or with `multi_label` the scores of each label after another, [count * A];
    - `rows` [A, columns]: the columns of all `outputs`, side by side.

    Candidates are the anchors with a score above the input `confidence`, sorted by descending score, ties by index. A
    candidate is kept unless a kept one before it overlaps it by more than the input `iou`; at most `max_detections` are
    kept. Each of `outputs`, [..., rows, columns] or [rows], has the rows of the kept anchors, then zeros; `row_count`
    is the number of kept anchors. Without `confidence` every finite score is a candidate. Without `iou` any overlap
    suppresses.

    With `rotated`, `boxes` [A, 5] are centre x y, width, height and angle, and the overlap is that of two normal
    distributions (Ultralytics' probabilistic IoU). A candidate is then kept unless any candidate before it overlaps it,
    even a suppressed one. With `max_candidates` only the first ones are candidates.
    """

    outputs: list[Output]
    boxes: str
    scores: str
    rows: str
    confidence: str | None
    iou: str | None
    max_detections: Count
    rotated: Literal[True] | UnsetType = UNSET
    max_candidates: Count | UnsetType = UNSET
    multi_label: MultiLabel | UnsetType = UNSET
    row_count: Output | UnsetType = UNSET
