"""NumPy reference of the non-maximum suppression (NMS) that the browser runtime does after a graph."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.output import Output
from webbuild.manifest.suppression import SUPPRESSION_KEY, MultiLabel, Suppression
from webbuild.postprocess.reference_nms import greedy_nms
from webbuild.postprocess.reference_rotated_nms import rotated_nms

Arrays = Mapping[str, NDArray[Any]]
Shape = list[int | str | None]


def read_suppression(metadata: Mapping[str, str], outputs: Iterable[str]) -> Suppression | None:
    """Return the suppression spec in a graph's metadata, None if there is none or its outputs are missing."""
    text = metadata.get(SUPPRESSION_KEY)
    spec = None if text is None else msgspec.json.decode(text, type=Suppression)
    return spec if spec is not None and set(_parts(spec)) <= set(outputs) else None


def suppressed_shapes(spec: Suppression, shapes: Mapping[str, Shape]) -> dict[str, Shape]:
    """Return the shapes of a graph's outputs after NMS."""
    unchanged = {name: shape for name, shape in shapes.items() if name not in _parts(spec)}
    return {**{each.name: list(each.shape) for each in suppressed_outputs(spec)}, **unchanged}


def suppressed_outputs(spec: Suppression) -> list[Output]:
    """Return the outputs that NMS adds."""
    return [*spec.outputs, *([spec.row_count] if spec.row_count else [])]


def raw_outputs(spec: Suppression, names: Iterable[str]) -> list[str]:
    """Return the graph's outputs that are needed to compute the outputs `names`."""
    added = {each.name for each in suppressed_outputs(spec)}
    wanted = list(names)
    return [*(_parts(spec) if added & set(wanted) else ()), *(name for name in wanted if name not in added)]


def apply_suppression(spec: Suppression, outputs: Arrays, feeds: Arrays) -> dict[str, NDArray[Any]]:
    """Return the outputs with the kept boxes instead of the raw boxes, scores and rows of all anchors."""
    boxes, scores, rows = (np.asarray(outputs[name], np.float32) for name in _parts(spec))
    confidence = np.asarray(feeds[spec.confidence], np.float32).item() if spec.confidence is not None else -np.inf
    iou = np.asarray(feeds[spec.iou], np.float32).item() if spec.iou is not None else 0.0
    if spec.multi_label:
        detections = _suppress_by_label(
            spec, spec.multi_label, boxes, scores, rows, np.float32(confidence), np.float32(iou)
        )
    else:
        detections = rows[_suppress(spec, boxes, scores, spec.max_detections, np.float32(confidence), np.float32(iou))]
    other_outputs = {name: array for name, array in outputs.items() if name not in _parts(spec)}
    return {**_split(spec, detections, rows.shape[1]), **other_outputs}


def _parts(spec: Suppression) -> tuple[str, str, str]:
    return spec.boxes, spec.scores, spec.rows


def _suppress(
    spec: Suppression,
    boxes: NDArray[np.float32],
    scores: NDArray[np.float32],
    most: int,
    confidence: np.float32,
    iou: np.float32,
) -> NDArray[np.intp]:
    """Return the indices of the anchors that NMS keeps, best first."""
    candidates = np.flatnonzero(scores > confidence)
    order = candidates[np.argsort(-scores[candidates], kind="stable")]
    order = order[: spec.max_candidates or None]
    keep = rotated_nms if spec.rotated else greedy_nms
    return order[keep(boxes[order], iou, most)]


def _suppress_by_label(
    spec: Suppression,
    labels: MultiLabel,
    boxes: NDArray[np.float32],
    scores: NDArray[np.float32],
    rows: NDArray[np.float32],
    confidence: np.float32,
    iou: np.float32,
) -> NDArray[np.float32]:
    """Return the rows of the boxes that NMS keeps, applied to each label separately."""
    by_label = scores.reshape(labels.count, -1)  # [labels, anchors]
    kept = [_suppress(spec, boxes, label_scores, labels.max_detections, confidence, iou) for label_scores in by_label]
    label = np.repeat(np.arange(labels.count), [len(indices) for indices in kept])
    anchor = np.concatenate(kept)
    best = by_label[label, anchor]
    order = np.argsort(-best, kind="stable") if labels.order == "score" else np.arange(len(best))
    order = order[: spec.max_detections]
    detections = rows[anchor[order]]
    if isinstance(labels.score_column, int):
        detections[:, labels.score_column] = best[order]
    if isinstance(labels.label_column, int):
        detections[:, labels.label_column] = label[order]
    return detections


def _split(spec: Suppression, rows: NDArray[np.float32], columns: int) -> dict[str, NDArray[Any]]:
    """Split rows [kept, columns] into the spec's outputs, padded with zeros."""
    outputs_by_name: dict[str, NDArray[Any]] = {}
    length = sum(math.prod(each.shape) for each in spec.outputs) // columns
    table = np.zeros((length, columns), np.float32)
    table[: len(rows)] = rows
    begin = 0
    for each in spec.outputs:
        end = begin + math.prod(each.shape) // length
        outputs_by_name[each.name] = table[:, begin:end].reshape(each.shape).astype(each.dtype)
        begin = end
    if spec.row_count:
        outputs_by_name[spec.row_count.name] = np.full(spec.row_count.shape, len(rows), spec.row_count.dtype)
    return outputs_by_name
