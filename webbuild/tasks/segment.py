"""Segment: objects, their boxes and their masks."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.facts import ModelFacts
from webbuild.manifest import SegmentTask
from webbuild.tasks import ultralytics
from webbuild.tasks._base import Guess, Tensors
from webbuild.tasks.detection import BOX_COLUMNS, Segment, read_box
from webbuild.tasks.geometry import Placement
from webbuild.tasks.mask import cut_mask


class SegmentKind:
    """See `SegmentTask` for the layout of a row, and for what a mask is."""

    kind = "segment"

    def guess(self, facts: ModelFacts, *, asked: bool = False) -> Guess | None:
        """Recognise Ultralytics' segmentation exports, suppressed or not, by their metadata."""
        return ultralytics.guess_segment(facts)

    def decode(self, task: SegmentTask, outputs: Tensors, placement: Placement | None) -> Sequence[Segment]:
        """Return the objects in `task.output` [1, rows, 6 + masks] with `task.protos` [1, masks, h, w], best first."""
        assert placement is not None
        rows, protos = outputs[task.output][0], outputs[task.protos][0]
        return [
            Segment(*read_box(task, row, placement), mask=cut_mask(row[:4], row[BOX_COLUMNS:], protos, placement))
            for row in rows[rows[:, 4] > 0]
        ]


TASK = SegmentKind()
