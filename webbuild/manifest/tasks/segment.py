"""Objects and their masks."""

from __future__ import annotations

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class SegmentTask(Task, tag="segment", kw_only=True, frozen=True):
    """Objects, their boxes and their masks.

    Rows of `output` [1, rows, 6 + mask_coefficients]: x1 y1 x2 y2 in input pixels, score, class index, then the
    object's coefficients of the prototypes in `protos` [1, mask_coefficients, height, width], which cover the whole
    input. A row whose score is 0 is padding; rows are in order of falling score.

    An object's mask is, at each input pixel whose centre lies in its box (on its left and upper edges too) and in
    the picture, whether the prototypes' weighted sum is above 0: summed in their own grid, then sampled bilinearly,
    with half-pixel centres and clamped edges.
    """

    output: OutputName
    protos: OutputName
    rows: Count
    classes: list[str]
    mask_coefficients: Count
