"""Semantic, instance and panoptic segmentation."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class ImageSegmentationTask(Task, tag="image-segmentation", kw_only=True, frozen=True):
    """Semantic, instance and panoptic segmentation, as in transformers' image processors.

    `masks` [1, queries, height, width] are logits, a map over the whole input for each query. `scores` [1, queries,
    classes + 1] are class logits of each query; the last class is "no object". If `mask_size` [rows, columns] is not
    empty, the maps are first resized to it. Without `scores`, `masks` has a map of logits for each class, and the only
    mode is semantic.

    A map is sampled over the source picture like a `DepthTask`'s. A pixel outside of the input has no segment. Modes:

    - panoptic: a query's class is its most probable one. Kept are queries with a score above `threshold` that are not
      "no object". Every pixel is assigned to the query with the largest product of probability (the sigmoid of its map)
      and score. A query and its pixels are dropped unless they are more than `overlap_mask_area_threshold` of the
      pixels where that product is at least `mask_threshold`. All queries of a class in `label_ids_to_fuse` are one
      segment, with the best score.
    - instance: the best pairs of query and class, as many as there are queries. The mask is where the map is above 0.
      The score is the class score times the mean probability there; pairs with at least `threshold` are kept. The map
      is sampled at the nearest cell that is not after a pixel's upper left corner. The best one is on top.
    - semantic: every pixel is assigned to the class with the largest sum over queries of class probability times map
      probability, or without `scores` the largest logit.
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
