"""Text detection."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class TextBoxesTask(Task, tag="text-boxes", kw_only=True, frozen=True):
    """Text detection: differentiable binarization (DB, arXiv 1911.08947), decoded as PaddleOCR's DBPostProcess does.

    `output` [1, 1, height, width] is the probability of text in each cell of the input, after `activation`. Cells above
    `threshold` are set. The rectangle of the smallest area is fitted to each contour of the set cells, also to the
    contours of holes; at most `max_outlines` contours are used. Its corners are rounded towards 0. Its score is the
    mean of the cells inside, and must be at least `confidence`. It then grows on every side by its area times
    `unclip_ratio`, divided by its perimeter. Its shorter side must be at least 3 cells before growing, and 5 after.
    """

    output: OutputName
    activation: Literal["none", "sigmoid"]
    threshold: float
    confidence: float
    unclip_ratio: float
    max_outlines: Count
