"""Panoptic, instance and semantic segmentation from mask logits; `ImageSegmentationTask` describes each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import ImageSegmentationTask
from webbuild.postprocess.sigmoid import sigmoid
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.tasks.decoding.depth_map import resample_map
from webbuild.tasks.decoding.largest_map import number_largest
from webbuild.tasks.decoding.regions import DrawnRegion, Segmentation, measure_regions

Floats = NDArray[np.float32]


def post_process_panoptic(
    task: ImageSegmentationTask, logits: Floats, scores: Floats, placement: ImagePlacement
) -> Segmentation:
    """Assign each pixel to the best query, and drop the queries that are mostly covered by others.

    Args:
        task: the thresholds, and the classes to fuse.
        logits: the mask logits [queries, rows, columns].
        scores: the class logits [queries, classes + 1].
        placement: the picture's placement in the input.
    """
    probabilities = _softmax(scores)
    labels, best = probabilities.argmax(axis=1), probabilities.max(axis=1)
    kept = [q for q in range(len(best)) if labels[q] < scores.shape[1] - 1 and best[q] > task.threshold]
    winner, above_threshold = _best_queries(task, logits[kept], best[kept], placement)
    areas = np.bincount(winner.ravel(), minlength=len(kept) + 1)
    drawn: list[DrawnRegion] = []
    first: dict[int, int] = {}
    for number, query in enumerate(kept, 1):
        if not areas[number] or not above_threshold[number - 1]:
            continue
        if (
            float(np.float32(areas[number] / above_threshold[number - 1])) <= task.overlap_mask_area_threshold
        ):  # rounded as torch does
            continue
        label, score = int(labels[query]), float(best[query])
        fused_index = first.get(label) if label in task.label_ids_to_fuse else None
        if fused_index is None:
            first[label] = len(drawn)
            drawn.append(DrawnRegion(number, label, score))
        else:
            winner[winner == number] = drawn[fused_index].number
            drawn[fused_index] = DrawnRegion(
                drawn[fused_index].number, label, max(score, drawn[fused_index].score or 0.0)
            )
    return measure_regions(winner, drawn, task.classes)


def _best_queries(
    task: ImageSegmentationTask, logits: Floats, scores: Floats, placement: ImagePlacement
) -> tuple[NDArray[np.int32], list[int]]:
    """Return the best query's number for each source pixel [height, width], from 1, and each mask's own area.

    Args:
        task: the thresholds.
        logits: the mask logits [queries, rows, columns].
        scores: the probability of each query [queries].
        placement: the picture's placement in the input.
    """
    winner, top = _empty_map(placement)
    above_threshold: list[int] = []
    for number, (mask, score) in enumerate(zip(logits, scores, strict=True), 1):
        likely = resample_map(_mask_probabilities(task, mask, placement), placement) * score
        wins = likely > top
        top[wins], winner[wins] = likely[wins], number
        above_threshold.append(int((likely >= np.float32(task.mask_threshold)).sum()))
    return winner, above_threshold


def post_process_instance(
    task: ImageSegmentationTask, logits: Floats, scores: Floats, placement: ImagePlacement
) -> Segmentation:
    """Draw the best (query, class) pairs, the best on top. The arguments are those of `post_process_panoptic`."""
    probabilities = _softmax(scores)[:, :-1]
    order = np.argsort(-probabilities.ravel(), kind="stable")[: len(probabilities)]
    instances: list[tuple[float, int, Floats]] = []
    for query, label in (divmod(int(flat), probabilities.shape[1]) for flat in order):
        if probabilities[query, label] < task.threshold:
            continue
        mask = _resize_logits(task, logits[query], placement)
        inside = mask > 0
        mean = _probabilities(mask)[inside].astype(np.float64).sum() / (float(inside.sum()) + 1e-6)
        score = float(np.float32(probabilities[query, label] * np.float32(mean)))
        if inside.any() and score >= task.threshold:
            instances.append((score, label, mask))
    instances.sort(key=lambda each: -each[0])
    numbers, _ = _empty_map(placement)
    for number in range(len(instances), 0, -1):
        numbers[_sample_nearest(instances[number - 1][2] > 0, placement)] = number
    return measure_regions(
        numbers, [DrawnRegion(n, label, score) for n, (score, label, _) in enumerate(instances, 1)], task.classes
    )


def post_process_semantic(
    task: ImageSegmentationTask, logits: Floats, scores: Floats | None, placement: ImagePlacement
) -> Segmentation:
    """Assign each pixel to the best class. Without `scores`, `logits` has a map per class, not per query."""
    read_rows = (lambda rows: logits[:, rows]) if scores is None else _class_maps(task, logits, scores, placement)
    rows, columns = (scores is not None and task.mask_size) or logits.shape[1:]
    winner = number_largest(read_rows, rows, columns, placement)
    drawn = [DrawnRegion(number, number - 1, None) for number in np.unique(winner).tolist() if number]
    return measure_regions(winner, drawn, task.classes)


def _softmax(logits: Floats) -> Floats:
    """Return the probabilities of logits [..., classes], computed in float64."""
    powers = np.exp(logits.astype(np.float64) - logits.max(axis=-1, keepdims=True))
    total = np.zeros(powers.shape[:-1])
    for index in range(powers.shape[-1]):
        total += powers[..., index]
    return np.asarray(powers / total[..., None], np.float32)


def _probabilities(logits: Floats) -> Floats:
    """Return the probabilities of logits, computed in float64."""
    return sigmoid(logits.astype(np.float64)).astype(np.float32)


def _resize_logits(task: ImageSegmentationTask, logits: Floats, placement: ImagePlacement) -> Floats:
    """Return a map [rows, columns], resized to `task.mask_size` if it is set."""
    if not task.mask_size:
        return np.asarray(logits, np.float32)
    rows, columns = task.mask_size
    high, wide = placement.input_height, placement.input_width
    return resample_map(logits, ImagePlacement(columns, rows, 0, 0, wide, high, wide, high))


def _mask_probabilities(task: ImageSegmentationTask, logits: Floats, placement: ImagePlacement) -> Floats:
    """Return the probabilities of a map, resized to `task.mask_size` if it is set."""
    return _probabilities(_resize_logits(task, logits, placement))


def _class_maps(
    task: ImageSegmentationTask, logits: Floats, scores: Floats, placement: ImagePlacement
) -> Callable[[slice], Floats]:
    """Return a function from a row range to class maps [classes, rows, columns]. All rows may exceed the memory."""
    probabilities = _softmax(scores)[:, :-1]
    maps = np.stack([_mask_probabilities(task, one, placement) for one in logits])  # [queries, rows, columns]
    return lambda rows: np.tensordot(probabilities.T, maps[:, rows], 1)  # [classes, rows, columns]


def _empty_map(placement: ImagePlacement) -> tuple[NDArray[np.int32], Floats]:
    """Return an empty map of winners [height, width], and their scores so far [height, width], all -inf."""
    size = placement.source_height, placement.source_width
    return np.zeros(size, np.int32), np.full(size, -np.inf, np.float32)


def _sample_nearest(mask: NDArray[np.bool_], placement: ImagePlacement) -> NDArray[np.bool_]:
    """Resample a mask to the source like torch's `nearest`: at the upper left corner of each pixel."""
    down = _nearest_cells(
        placement.top, placement.height, placement.source_height, placement.input_height, mask.shape[0]
    )
    across = _nearest_cells(
        placement.left, placement.width, placement.source_width, placement.input_width, mask.shape[1]
    )
    inside = (down >= 0)[:, None] & (across >= 0)[None]
    return np.asarray(mask[np.maximum(down, 0)][:, np.maximum(across, 0)] & inside)


def _nearest_cells(start: int, drawn: int, source: int, size: int, cells: int) -> NDArray[np.int64]:
    """Return the cell of each source pixel along one side [source], -1 for a pixel outside the input."""
    corner = start * source + np.arange(source) * drawn  # times `source`, so that it is an exact integer
    outside = (corner < 0) | (corner >= size * source)
    return np.where(outside, -1, corner * cells // (size * source))
