"""The suppression of boxes that the runtime does behind a graph."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from webbuild.manifest.manifest_struct import ManifestStruct

SUPPRESSION_KEY = "webbuild.suppression"
"""Metadata key of an ONNX file under which its `Suppression` is kept, as JSON."""


class Suppression(ManifestStruct, kw_only=True, frozen=True):
    """Exact greedy NMS behind a graph: the runtime's compute shader, or the CPU where that is not the same.

    In place of the output `output` the file has three of float32, for all A anchors:

    - `boxes` [A, 4]: two corners, with those of different classes moved apart;
    - `scores` [A];
    - `rows` [A, columns]: what `output` has of each.

    Candidates are the anchors whose score is above the input `confidence`, by falling score, of equal ones the first
    first. Each is kept that no kept one before it overlaps by more than the input `iou`, `max_detections` at most.
    `output` [..., rows, columns] is their rows, then zeros.

    Where they are `rotated`, `boxes` [A, 5] are centre x y, width, height and angle, and the overlap is that of two
    normal distributions (Ultralytics' probabilistic IoU). Each is kept that no one before it overlaps, a suppressed one
    neither. With `max_candidates` only the first so many are candidates.
    """

    output: str
    shape: list[int]
    boxes: str
    scores: str
    rows: str
    confidence: str
    iou: str
    max_detections: int
    rotated: Literal[True] | UnsetType = UNSET
    max_candidates: int | UnsetType = UNSET
