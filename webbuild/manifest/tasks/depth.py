"""How far away each pixel of the picture is."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class DepthTask(Task, tag="depth", kw_only=True, frozen=True):
    """How far away each pixel of the picture is.

    `output` [1, height, width] or [1, 1, height, width] is a map over the whole input: distances or, as
    `inverse-depth`, what grows as things come nearer. In `metres` the numbers mean something, as `relative` only
    their order and, but for a scale and an offset, their ratios do. `confidence` is a map of the same kind, the
    larger the surer. `near` and `far` are the least and the largest value that the map can have, where that is known.

    A map is read at the centre of each pixel of the source picture: bilinearly, with half-pixel centres, from the
    cells whose centre lies in the picture. Pixels whose centre lies outside of the input have NaN.
    """

    output: OutputName
    confidence: OutputName | None = None
    quantity: Literal["depth", "inverse-depth"]
    unit: Literal["metres", "relative"]
    near: float | None = None
    far: float | None = None
