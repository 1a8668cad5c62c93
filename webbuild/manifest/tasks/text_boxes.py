"""Where text is in a picture."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class TextBoxesTask(Task, tag="text-boxes", kw_only=True, frozen=True):
    """Where text is: differentiable binarization (DB, arXiv 1911.08947), decoded as PaddleOCR's DBPostProcess does.

    `output` [1, 1, height, width] says of each cell of the input how probable text is there: as it is, or after the
    `activation`. Cells above `threshold` are set. Around each outline of what is set, holes too, lies the rectangle of
    the smallest area; `max_outlines` outlines are looked at. Its corners are rounded towards 0. Its score is the mean
    of the cells inside, and it counts from `confidence` on. It grows on every side by its area times `unclip_ratio`,
    divided by the length of its outline. Before, its shorter side is at least 3 cells, after that 5.
    """

    output: OutputName
    activation: Literal["none", "sigmoid"]
    threshold: float
    confidence: float
    unclip_ratio: float
    max_outlines: Count
