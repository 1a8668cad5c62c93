"""Object detection with rotated boxes."""

from __future__ import annotations

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class ObbTask(Task, tag="obb", kw_only=True, frozen=True):
    """Object detection with rotated boxes (oriented bounding boxes).

    Rows of `output` [1, rows, 7]: centre x, centre y, width, height in input pixels, score, class index, and the angle
    in radians from the x axis to the width's side, towards y (clockwise on a screen). A row with the score 0 is
    padding; rows are sorted by descending score.
    """

    output: OutputName
    rows: Count
    classes: list[str]
