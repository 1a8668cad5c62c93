"""Panoptic: each pixel's part of the picture, from masks and classes of queries or from a map for each class.

Its manifest name is that of its fullest mode; instances and semantic maps are its other two. The masks of a YOLO are
task `segment`, which has boxes.
"""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.facts import ModelFacts
from webbuild.manifest import PanopticTask
from webbuild.tasks._base import Guess, Tensors
from webbuild.tasks.geometry import Placement
from webbuild.tasks.mask_queries import guess_class_maps, guess_queries
from webbuild.tasks.region_modes import instance, panoptic, semantic
from webbuild.tasks.regions import Regions


class PanopticKind:
    """See `PanopticTask` for what becomes of the outputs."""

    kind = "panoptic"

    def guess(self, facts: ModelFacts, *, asked: bool = False) -> Guess | None:
        """Recognise outputs by the names that transformers gives them, or by `config.json`."""
        return guess_queries(facts, asked=asked) or guess_class_maps(facts, asked=asked)

    def decode(self, task: PanopticTask, outputs: Tensors, placement: Placement | None) -> Sequence[Regions]:
        """Return the one division of the picture there is."""
        assert placement is not None
        masks = outputs[task.masks][0]
        if task.scores is None:
            return [semantic(task, masks, None, placement)]
        scores = outputs[task.scores][0]
        match task.mode:
            case "panoptic":
                return [panoptic(task, masks, scores, placement)]
            case "instance":
                return [instance(task, masks, scores, placement)]
            case "semantic":
                return [semantic(task, masks, scores, placement)]


TASK = PanopticKind()
