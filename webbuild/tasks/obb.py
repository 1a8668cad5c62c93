"""Obb: objects and their rotated boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from webbuild.facts import ModelFacts
from webbuild.manifest import ObbTask
from webbuild.tasks import ultralytics
from webbuild.tasks._base import Guess, Tensors
from webbuild.tasks.boxes import hulls
from webbuild.tasks.detection import Box, OrientedObject, Point, read_class
from webbuild.tasks.geometry import Placement
from webbuild.tasks.rotated import row_corners


class ObbKind:
    """See `ObbTask` for the layout of a row."""

    kind = "obb"

    def guess(self, facts: ModelFacts, *, asked: bool = False) -> Guess | None:
        """Recognise Ultralytics' exports of rotated boxes with `nms=True` by their metadata."""
        return ultralytics.guess_obb(facts)

    def decode(self, task: ObbTask, outputs: Tensors, placement: Placement | None) -> Sequence[OrientedObject]:
        """Return the objects in `task.output` [1, rows, 7], best first."""
        assert placement is not None
        rows = outputs[task.output][0]
        return [_object(task, row, placement) for row in rows[rows[:, 4] > 0]]


def _object(task: ObbTask, row: NDArray[Any], placement: Placement) -> OrientedObject:
    """Measure the box by its corners in the source: a picture squeezed more one way turns and stretches it."""
    corners = placement.to_source(row_corners(row[None])[0], clamp=False)
    edges = placement.to_source(hulls(row_corners(row[None]))[0].reshape(2, 2), clamp=True)
    (across, along), (sideways, down) = (corners[1] - corners[0]).tolist(), (corners[3] - corners[0]).tolist()
    return OrientedObject(
        Box(*edges.ravel().tolist()),
        *read_class(task, row),
        center=Point(*placement.to_source(row[:2], clamp=False).tolist()),
        width=math.hypot(across, along),
        height=math.hypot(sideways, down),
        angle=math.atan2(along, across),
        corners=tuple(Point(x, y) for x, y in corners.tolist()),
    )


TASK = ObbKind()
