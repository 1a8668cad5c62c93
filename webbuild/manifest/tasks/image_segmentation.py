"""Which part of the picture each pixel belongs to."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class ImageSegmentationTask(Task, tag="image-segmentation", kw_only=True, frozen=True):
    """Which part of the picture each pixel belongs to: things one by one, and what surrounds them.

    `masks` [1, queries, height, width] holds logits, for each query a map over the whole input; `scores` [1, queries,
    classes + 1] the logits of the classes of what a query found, the last that of nothing. Where `mask_size` is [rows,
    columns] and not empty, the maps are resized to that first. Without `scores`, `masks` has a map of logits for each
    class, and the only mode is semantic.

    A map is read over the source picture as a `DepthTask`'s is, a pixel that the model did not see belonging to
    nothing. By `mode`, as transformers' image processors do:

    panoptic: a query's class is its most probable one. Kept are those above `threshold` that are not nothing. Every
    pixel goes to the query whose probability there (the sigmoid of its map) times its score is largest. A query is left
    out, its pixels too, unless they are more than `overlap_mask_area_threshold` of those where that product is at least
    `mask_threshold`. Those of one of the classes `label_ids_to_fuse` are one region, whose score is the best.

    instance: of all queries and classes the best pairs, as many as there are queries. Their mask is where the map is
    above 0, its score the class's times the mean probability there; those of at least `threshold` are kept. The map is
    read at the nearest cell that does not lie after a pixel's upper left corner. The best one is on top.

    semantic: every pixel goes to the class for which the sum over queries of the class's probability times the map's
    is largest, or without `scores` the logit.
    """

    masks: OutputName
    scores: OutputName | None = None
    classes: list[str]
    mode: Literal["panoptic", "instance", "semantic"]
    label_ids_to_fuse: list[Count] = []
    mask_size: list[Count] = []
    threshold: float = 0.5
    mask_threshold: float = 0.5
    overlap_mask_area_threshold: float = 0.8
