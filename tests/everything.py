"""Reference of `scene.everything()`: SAM's SamAutomaticMaskGenerator without crops."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tests.small_regions import without_small_regions
from webbuild.manifest.manifest import MaskGenerationTask
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.point_prompt import FOREGROUND, PointPrompt
from webbuild.runners.tensors import Tensors
from webbuild.tasks.decoding.detection import Box
from webbuild.tasks.decoding.mask_logits import object_mask, resize_logits
from webbuild.tasks.mask_generation import choose_masks, object_scores

_MIN_SUPPRESSION_IOU = 0.7
"""SAM's `crop_nms_thresh`: the lowest IoU at which masks that `min_area` changed are suppressed."""


class EverythingSettings(Struct, frozen=True, rename="camel"):
    """Settings of `scene.everything()`; in brackets the names in SamAutomaticMaskGenerator.

    Attributes:
        points_per_side: points on each side of the grid (`points_per_side`).
        score_threshold: masks of this score or less are dropped (`pred_iou_thresh`); 0 keeps all.
        stability_threshold: masks of less stability are dropped (`stability_score_thresh`).
        stability_offset: added to and subtracted from the logit threshold (`stability_score_offset`).
        overlap_threshold: if the boxes of two masks have a larger IoU, the better mask is kept (`box_nms_thresh`).
        min_area: minimum pixels of holes and islands to keep (`min_mask_region_area`).
    """

    points_per_side: int = 32
    score_threshold: float = 0.88
    stability_threshold: float = 0.95
    stability_offset: float = 1.0
    overlap_threshold: float = 0.7
    min_area: float = 0


class FoundMask(Struct, frozen=True, eq=False):
    """An object that a point of the grid found: `mask` [height, width], `stability` as the IoU of two thresholds."""

    mask: NDArray[np.bool_]
    score: float
    stability: float
    box: Box
    point: tuple[float, float]


def grid_points(per_side: int, width: int, height: int) -> list[tuple[float, float]]:
    """Return the points of a grid over a picture, row by row, each in the middle of its cell."""
    middles = (np.arange(per_side) + 0.5) / per_side
    return [(float(x), float(y)) for y in middles * height for x in middles * width]


def click_on(point: tuple[float, float]) -> PointPrompt:
    """Return an ambiguous click: it may mean a part or the whole object."""
    return PointPrompt([point], [FOREGROUND], multimask=True)


def point_masks(
    task: MaskGenerationTask,
    outputs: Tensors,
    placement: ImagePlacement,
    point: tuple[float, float],
    settings: EverythingSettings,
    index: int = 0,
) -> list[FoundMask]:
    """Return the non-empty masks of one object that pass the thresholds."""
    scores = object_scores(outputs[task.scores], index)
    logits = outputs[task.masks]
    planes = logits.reshape(-1, *logits.shape[-3:])[index]  # [masks, h, w]
    masks = []
    for kind in choose_masks(task, scores, click_on(point)).masks:
        if not _is_good_enough(np.float32(scores[kind]), settings.score_threshold):
            continue
        values = resize_logits(task, planes[kind], placement)
        stability = _stability(values, task.threshold, settings.stability_offset)
        mask = object_mask(values > task.threshold, float(scores[kind]))
        if mask.mask.any() and stability >= np.float32(settings.stability_threshold):
            masks.append(FoundMask(mask.mask, mask.score, float(stability), mask.box, point))
    return masks


def best_masks(candidates: Sequence[FoundMask], settings: EverythingSettings) -> list[FoundMask]:
    """Return the masks of all points that do not overlap better ones, best first."""
    masks = suppress(candidates, lambda each: each.score, settings.overlap_threshold)
    if settings.min_area == 0:
        return masks
    cleaned = [_without_small_regions(each, settings.min_area) for each in masks]
    same = {id(each) for each in masks}
    kept = suppress(
        cleaned, lambda each: float(id(each) in same), max(settings.overlap_threshold, _MIN_SUPPRESSION_IOU)
    )
    return sorted(kept, key=lambda each: -each.score)


def suppress(masks: Sequence[FoundMask], rank: Callable[[FoundMask], float], threshold: float) -> list[FoundMask]:
    """Return the masks that greedy NMS of their boxes keeps, as torchvision's `nms`."""
    kept: list[FoundMask] = []
    for mask in sorted(masks, key=lambda each: -rank(each)):
        if not any(_overlap(each.box, mask.box) > threshold for each in kept):
            kept.append(mask)
    return kept


def _is_good_enough(score: np.float32, threshold: float) -> bool:
    """Whether a score passes the threshold in float32, as in SAM's generators. A threshold of 0 keeps all but NaN."""
    return bool(score > np.float32(threshold)) if threshold > 0 else not np.isnan(score)


def _stability(values: NDArray[np.float64], threshold: float, offset: float) -> np.float32:
    """Return the IoU of the masks at a higher and a lower threshold; NaN if both are empty."""
    inner, outer = (np.count_nonzero(values > level) for level in (threshold + offset, threshold - offset))
    return np.float32(inner / outer) if outer else np.float32(np.nan)


def _without_small_regions(candidate: FoundMask, min_area: float) -> FoundMask:
    mask = without_small_regions(candidate.mask, min_area)
    return (
        candidate
        if mask is candidate.mask
        else msgspec.structs.replace(candidate, mask=mask, box=object_mask(mask, 0).box)
    )


def _overlap(one: Box, other: Box) -> float:
    """Return the IoU in float32 with SAM's box ends, which are the index of the last pixel, not one more."""
    first, second = ([box.x1, box.y1, box.x2 - 1, box.y2 - 1] for box in (one, other))
    starts = np.maximum(first[:2], second[:2])
    common = _area([*starts, *np.maximum(np.minimum(first[2:], second[2:]), starts)])
    union = _area(first) + _area(second) - common
    return float(common / union) if union else 0.0


def _area(box: Sequence[float]) -> np.float32:
    return np.float32((box[2] - box[0]) * (box[3] - box[1]))
