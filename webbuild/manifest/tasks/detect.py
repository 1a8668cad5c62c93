"""Object detection with boxes."""

from __future__ import annotations

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class DetectTask(Task, tag="detect", kw_only=True, frozen=True):
    """Object detection with boxes.

    Rows of `output` [1, rows, 6]: x1 y1 x2 y2 in input pixels, score, class index. A row with the score 0 is padding;
    rows are sorted by descending score.
    """

    output: OutputName
    rows: Count
    classes: list[str]
