"""Instance segmentation of detected objects."""

from __future__ import annotations

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class SegmentTask(Task, tag="segment", kw_only=True, frozen=True):
    """Objects, their boxes and their masks (instance segmentation with prototypes).

    Rows of `output` [1, rows, 6 + mask_coefficients]: x1 y1 x2 y2 in input pixels, score, class index, then the
    coefficients of the prototypes in `protos` [1, mask_coefficients, height, width], which cover the whole input. A row
    with the score 0 is padding; rows are sorted by descending score.

    A mask covers the input pixels whose centre is in the object's box (left and upper edges included) and in the
    picture, and where the weighted sum of the prototypes is above 0. The sum is computed in the prototypes' grid, then
    sampled bilinearly, with half-pixel centres and clamped edges.
    """

    output: OutputName
    protos: OutputName
    rows: Count
    classes: list[str]
    mask_coefficients: Count
