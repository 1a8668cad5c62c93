"""NumPy twin of the suppression that the runtime does behind a graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.suppression import SUPPRESSION_KEY, Suppression
from webbuild.postprocess.reference_nms import greedy_nms
from webbuild.postprocess.reference_rotated_nms import rotated_nms

Arrays = Mapping[str, NDArray[Any]]
Shape = list[int | str | None]


def read_suppression(metadata: Mapping[str, str], outputs: Iterable[str]) -> Suppression | None:
    """Return what follows a graph of this metadata, None where nothing does: of its parts it may follow none."""
    text = metadata.get(SUPPRESSION_KEY)
    spec = None if text is None else msgspec.json.decode(text, type=Suppression)
    return spec if spec is not None and {spec.boxes, spec.scores, spec.rows} <= set(outputs) else None


def suppressed_shapes(spec: Suppression, shapes: Mapping[str, Shape]) -> dict[str, Shape]:
    """Return the shapes of a graph's outputs after the suppression."""
    own = {name: shape for name, shape in shapes.items() if name not in (spec.boxes, spec.scores, spec.rows)}
    return {spec.output: list(spec.shape), **own}


def raw_outputs(spec: Suppression, names: Iterable[str]) -> list[str]:
    """Return the graph's outputs that make those of `names`."""
    return [spec.boxes, spec.scores, spec.rows, *(name for name in names if name != spec.output)]


def apply_suppression(spec: Suppression, outputs: Arrays, feeds: Arrays) -> dict[str, NDArray[Any]]:
    """Return the outputs with `spec.output` in the place of boxes, scores and rows of all anchors."""
    boxes, scores, rows = (np.asarray(outputs[name], np.float32) for name in (spec.boxes, spec.scores, spec.rows))
    confidence, iou = (np.asarray(feeds[name], np.float32).item() for name in (spec.confidence, spec.iou))
    candidates = np.flatnonzero(scores > np.float32(confidence))
    order = candidates[np.argsort(-scores[candidates], kind="stable")]
    order = order[: spec.max_candidates or None]
    keep = rotated_nms if spec.rotated else greedy_nms
    kept = keep(boxes[order], np.float32(iou), spec.max_detections)
    found = np.zeros(spec.shape, np.float32)
    found.reshape(-1, rows.shape[1])[: len(kept)] = rows[order[kept]]
    given = {name: array for name, array in outputs.items() if name not in (spec.boxes, spec.scores, spec.rows)}
    return {spec.output: found, **given}
