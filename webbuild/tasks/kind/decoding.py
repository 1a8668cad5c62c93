"""How outputs become predictions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from webbuild.tasks.decoding.detection import Detection
from webbuild.tasks.run_context import RunContext, SegmentationMode, Tensors


class Decoding:
    """What of a task turns outputs into predictions."""

    has_detections: bool = False
    """Whether predictions hold objects with boxes, which are drawn and counted."""
    ranks_classes: bool = False
    """Whether predictions are classes with scores, the most probable first."""
    predicts_more: bool = False
    """Whether a prediction says what no single output does: masks, words, regions."""
    replaces_earlier: bool = False
    """Whether what it says of an object takes the place of what an earlier stage of the same task said."""

    def needed_outputs(self, task: Any) -> Sequence[str]:
        """Return the outputs that the task is decoded from."""
        raise NotImplementedError

    def decode(self, task: Any, outputs: Tensors, context: RunContext) -> Sequence[Any]:
        """Return the objects in the outputs, in source pixels; none where the context lacks what they depend on."""
        raise NotImplementedError

    def stack_parts(self, task: Any, outputs: Sequence[Tensors]) -> Tensors:
        """Return the outputs for the parts of a box, a run each, as those of one run: only lines are read in parts."""
        (whole,) = outputs
        return whole

    def choice_margin(self, task: Any, outputs: Tensors, context: RunContext) -> float:
        """Return how much better the score of what is chosen is than the next; infinite where nothing is chosen."""
        return math.inf

    def vector_size(self, task: Any) -> int:
        """Return how many numbers the one vector has that a prediction is; 0 for a task of anything else."""
        return 0

    def read_result(self, result: Mapping[str, Any]) -> Sequence[Any]:
        """Return the prediction in a result of the runtime: its fields by name, with NumPy arrays [length].

        Nothing for a task whose results are compared tensor by tensor.
        """
        return ()

    def detections(self, prediction: Sequence[Any]) -> Sequence[Detection]:
        """Return the objects of a prediction, where it has any."""
        return prediction

    def found_objects(self, prediction: Sequence[Any]) -> Sequence[Detection]:
        """Return the objects of a prediction as later stages look at them."""
        return self.detections(prediction)

    def fallback_mode(self, task: Any) -> SegmentationMode | None:
        """Return the mode in which a prediction is never empty, None for a task that has none."""
        return None

    def is_empty(self, prediction: Sequence[Any]) -> bool:
        """Whether a prediction says nothing at all, so that an equal one proves nothing."""
        return not prediction
