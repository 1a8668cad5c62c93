"""Detect: objects and their boxes."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.facts import ModelFacts
from webbuild.manifest import DetectTask
from webbuild.tasks import ultralytics
from webbuild.tasks._base import Guess, Tensors
from webbuild.tasks.detection import Detection, read_box
from webbuild.tasks.geometry import Placement
from webbuild.tasks.grid_detector import guess_grid
from webbuild.tasks.set_detector import guess_set


class DetectKind:
    """See `DetectTask` for the layout of a row."""

    kind = "detect"

    def guess(self, facts: ModelFacts, *, asked: bool = False) -> Guess | None:
        """Recognise Ultralytics' detection exports by their metadata, others by their interface."""
        known = ultralytics.guess_detect(facts) or guess_grid(facts, asked=asked)
        return known or guess_set(facts, asked=asked)

    def decode(self, task: DetectTask, outputs: Tensors, placement: Placement | None) -> Sequence[Detection]:
        """Return the objects in `task.output` [1, rows, 6], best first."""
        assert placement is not None
        rows = outputs[task.output][0]
        return [Detection(*read_box(task, row, placement)) for row in rows[rows[:, 4] > 0]]


TASK = DetectKind()
