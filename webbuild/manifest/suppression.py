"""The suppression of boxes that the runtime does behind a graph."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Count
from webbuild.manifest.output import Output

SUPPRESSION_KEY = "webbuild.suppression"
"""Metadata key of an ONNX file under which its `Suppression` is kept, as JSON."""


class MultiLabel(ManifestStruct, kw_only=True, frozen=True):
    """Several labels for a box: every label has a score of each box, and its boxes are suppressed by themselves.

    `max_detections` are kept of each label at most. In the `order` of `score` the best of all labels come first, of
    equal ones the first label and then the first box; in that of `label` all of the first label do, the best first.
    Of a box that is kept for a label, `score_column` of its row is that score, and `label_column` that label.
    """

    count: Count
    max_detections: Count
    order: Literal["score", "label"]
    score_column: Count | UnsetType = UNSET
    label_column: Count | UnsetType = UNSET


class Suppression(ManifestStruct, kw_only=True, frozen=True):
    """Exact greedy NMS behind a graph: the runtime's compute shader, or the CPU where that is not the same.

    In place of `outputs` the file has three of float32, for all A anchors:

    - `boxes` [A, 4]: two corners, with those of different classes moved apart;
    - `scores` [A], or with `multi_label` those of each label in turn, [count * A];
    - `rows` [A, columns]: what the outputs have of each, their columns side by side.

    Candidates are the anchors whose score is above the input `confidence`, by falling score, of equal ones the first
    first. Each is kept that no kept one before it overlaps by more than the input `iou`, `max_detections` at most.
    Each of `outputs`, [..., rows, columns] or [rows], is their rows, then zeros; `row_count` is how many are kept.
    Without `confidence` every finite score is a candidate, without `iou` every overlap is too much.

    Where they are `rotated`, `boxes` [A, 5] are centre x y, width, height and angle, and the overlap is that of two
    normal distributions (Ultralytics' probabilistic IoU). Each is kept that no one before it overlaps, a suppressed one
    neither. With `max_candidates` only the first so many are candidates.
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
