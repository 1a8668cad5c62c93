"""Depth estimation."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class DepthTask(Task, tag="depth", kw_only=True, frozen=True):
    """Depth estimation: the distance of each pixel of the picture.

    `output` [1, height, width] or [1, 1, height, width] is a map over the whole input: distances, or with
    `inverse-depth` values that grow as objects come nearer. `metres` are absolute. `relative` values are known only up
    to a scale and an offset. `confidence` is a map of the same kind; larger is more certain. `near` and `far` are the
    smallest and the largest possible value of the map, if known.

    The map is sampled at the centre of each pixel of the source picture: bilinearly, with half-pixel centres, from the
    cells whose centre is in the picture. Pixels whose centre is outside of the input are NaN.
    """

    output: OutputName
    confidence: OutputName | None = None
    quantity: Literal["depth", "inverse-depth"]
    unit: Literal["metres", "relative"]
    near: float | None = None
    far: float | None = None
