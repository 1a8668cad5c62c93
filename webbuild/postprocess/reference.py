"""The outputs of a model that lacks its post-processing, with what it lacks computed in plain numpy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.postprocess.dense_head import DETECTIONS, DenseHead
from webbuild.postprocess.grounding_head import GroundingHead
from webbuild.postprocess.query_head import QueryHead
from webbuild.postprocess.reference_detr import reference_detr
from webbuild.postprocess.reference_nms import reference_nms

DetectionHead = DenseHead | QueryHead | GroundingHead
Arrays = Mapping[str, NDArray[Any]]


def apply_reference_postprocess(
    head: DetectionHead, outputs: Arrays, feeds: Arrays, values: Mapping[str, float]
) -> dict[str, NDArray[Any]]:
    """Return the outputs with `DETECTIONS` in the place of the raw ones; `values` are the thresholds by option."""
    if isinstance(head, GroundingHead):
        return dict(outputs)
    if isinstance(head, QueryHead):
        found, replaced = reference_detr(head, outputs, feeds, values["confidence"]), head.replaced_outputs
    else:
        found = reference_nms(head, outputs[head.output], values["confidence"], values.get("iou", head.iou))
        replaced = (head.output,)
    return {DETECTIONS: found, **{name: array for name, array in outputs.items() if name not in replaced}}


def add_constant_masks(head: DetectionHead | None, feeds: Arrays) -> Arrays:
    """Return what the original is fed: also the masks that became constants in what was made of it."""
    ones = head.constant_masks if isinstance(head, QueryHead | GroundingHead) else {}
    return {**feeds, **{name: np.ones(shape) for name, shape in ones.items()}}
