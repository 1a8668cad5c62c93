"""Decoding: the methods of a task that turn outputs into predictions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from webbuild.runners.tensors import Tensors
from webbuild.tasks.decoding.detection import Detection
from webbuild.tasks.run_context import RunContext, SegmentationMode


class Decoding:
    """Decoding methods of a task: turn outputs into predictions."""

    has_detections: bool = False
    """Whether predictions contain objects with boxes, which are drawn and counted."""
    ranks_classes: bool = False
    """Whether predictions are classes with scores, the most probable first."""
    predicts_more: bool = False
    """Whether decoding computes more than the outputs contain: masks, words, regions."""
    replaces_earlier: bool = False
    """Whether its attribute of an object replaces the same attribute from an earlier stage of the same task."""

    def needed_outputs(self, task: Any) -> Sequence[str]:
        """Return the outputs that the task is decoded from."""
        raise NotImplementedError

    def decode(self, task: Any, outputs: Tensors, context: RunContext) -> Sequence[Any]:
        """Return the predictions in the outputs, in source pixels; none if the context lacks the data they need."""
        raise NotImplementedError

    def stack_parts(self, task: Any, outputs: Sequence[Tensors]) -> Tensors:
        """Merge the outputs of the runs over the parts of one box; only lines of text are split into parts."""
        (only_output,) = outputs
        return only_output

    def choice_margin(self, task: Any, outputs: Tensors, context: RunContext) -> float:
        """Return the score margin between the chosen candidate and the next; infinite if nothing is chosen."""
        return math.inf

    def vector_size(self, task: Any) -> int:
        """Return the length of the embedding vector; 0 for a task without one."""
        return 0

    def read_result(self, result: Mapping[str, Any]) -> Sequence[Any]:
        """Return the prediction in a result of the runtime: its fields by name, with NumPy arrays [length].

        Empty for a task with results compared tensor by tensor.
        """
        return ()

    def detections(self, prediction: Sequence[Any]) -> Sequence[Detection]:
        """Return the objects of a prediction that has objects."""
        return prediction

    def found_objects(self, prediction: Sequence[Any]) -> Sequence[Detection]:
        """Return the objects of a prediction for later stages to crop."""
        return self.detections(prediction)

    def fallback_mode(self, task: Any) -> SegmentationMode | None:
        """Return the mode in which a prediction is never empty, None for a task without such a mode."""
        return None

    def is_empty(self, prediction: Sequence[Any]) -> bool:
        """Whether a prediction is empty, so that comparing it proves nothing."""
        return not prediction
