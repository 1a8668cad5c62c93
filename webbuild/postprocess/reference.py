"""NumPy reference of the postprocessing that an exported model lacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.postprocess.anchors import AnchorPostprocess
from webbuild.postprocess.class_maps import ClassMapsPostprocess, label_map_size
from webbuild.postprocess.detr import DetrPostprocess
from webbuild.postprocess.grounding import GroundingPostprocess
from webbuild.postprocess.label_scores import LabelScoresPostprocess
from webbuild.postprocess.output_names import CLASS_MAPS, DETECTIONS, LABEL_SCORES
from webbuild.postprocess.postprocess import Postprocess
from webbuild.postprocess.reference_anchors import reference_anchors
from webbuild.postprocess.reference_detr import reference_detr
from webbuild.postprocess.reference_label_scores import reference_label_scores
from webbuild.postprocess.reference_nms import reference_nms

Arrays = Mapping[str, NDArray[Any]]


def apply_reference_postprocess(
    spec: Postprocess, outputs: Arrays, feeds: Arrays, values: Mapping[str, float]
) -> dict[str, NDArray[Any]]:
    """Return the outputs with `DETECTIONS` instead of the raw ones; `values` are the thresholds by option."""
    if isinstance(spec, GroundingPostprocess):
        return dict(outputs)
    if isinstance(spec, ClassMapsPostprocess):
        rest = {name: array for name, array in outputs.items() if name != spec.output}
        return {CLASS_MAPS: reference_class_maps(spec, outputs[spec.output]), **rest}
    if isinstance(spec, LabelScoresPostprocess):
        rest = {name: array for name, array in outputs.items() if name != spec.output}
        return {LABEL_SCORES: reference_label_scores(spec, outputs[spec.output]), **rest}
    if isinstance(spec, DetrPostprocess):
        rows, replaced = reference_detr(spec, outputs, feeds, values["confidence"]), spec.replaced_outputs
    elif isinstance(spec, AnchorPostprocess):
        rows = reference_anchors(spec, outputs, values["confidence"], values.get("iou", spec.iou))
        replaced = spec.replaced_outputs
    else:
        rows = reference_nms(spec, outputs[spec.output], values["confidence"], values.get("iou", spec.iou))
        replaced = (spec.output,)
    return {DETECTIONS: rows, **{name: array for name, array in outputs.items() if name not in replaced}}


def reference_class_maps(spec: ClassMapsPostprocess, output: NDArray[Any]) -> NDArray[Any]:
    """Return one map per class [1, classes, h, w]; the background of a mask is its threshold everywhere.

    A label becomes 1 in the map of its class, 0 in the others.
    """
    if spec.labels:
        height, width = label_map_size(output.shape)
        numbers = np.arange(spec.classes).reshape(1, -1, 1, 1)
        return np.asarray(output.reshape(1, 1, height, width) == numbers, np.float32)
    maps = output.transpose(0, 3, 1, 2) if spec.channels_last else output
    return maps if spec.classes == maps.shape[1] else np.concatenate([np.full_like(maps, spec.threshold), maps], 1)


def add_constant_masks(spec: Postprocess | None, feeds: Arrays) -> Arrays:
    """Return the feeds of the original model: with the masks that became constants in the packed one."""
    ones = spec.constant_masks if isinstance(spec, DetrPostprocess | GroundingPostprocess) else {}
    return {**feeds, **{name: np.ones(shape) for name, shape in ones.items()}}
