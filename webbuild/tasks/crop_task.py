"""Tasks that say something of each crop: of what an earlier stage found, or of the whole picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.model.signature import ModelSignature
from webbuild.preprocess.crop_box import Crop
from webbuild.tasks.base import TaskKind
from webbuild.tasks.detection import Box, Detection
from webbuild.tasks.metrics.match_crops import CropPair, match_crops
from webbuild.tasks.run_context import RunContext, Tensors
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import OBJECT_FUNCTIONS, TypeNames

UNKNOWN_OBJECT = "object"
"""The label of a crop of which nothing says what is in it, as in the runtime."""


class CropKind(TaskKind):
    """A task whose outputs [crops, ...] become a detection each, in the order of the crops."""

    page_template = "detections"
    has_detections = True
    noun = "detection"
    detection_type: type[Detection]
    """What a crop becomes: the box that it was cut around, with what the model says of it."""

    def of_crops(self, match: TaskMatch, signature: ModelSignature) -> TaskMatch | None:
        """Return the match: such a stage takes crops."""
        return match

    def needed_outputs(self, task: Any) -> Sequence[str]:
        """Return the output."""
        return (task.output,)

    def decode(self, task: Any, outputs: Tensors, context: RunContext) -> Sequence[Detection]:
        """Return what each crop was cut around, with what the outputs say of it."""
        crops = () if context.placement is None else context.placement.crops
        return [self.decode_crop(task, crop, outputs[task.output][at]) for at, crop in enumerate(crops)]

    def decode_crop(self, task: Any, crop: Crop, values: Any) -> Detection:
        """Return what a crop was cut around, with what its row of the output says."""
        raise NotImplementedError

    def compare(
        self,
        task: Any,
        subject: ComparedOutput,
        expected: Sequence[Any],
        actual: Sequence[Any],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison]:
        """Compare how many objects there are, and what is said of each, matched by their boxes."""
        counts, pairs = match_crops(subject, expected, actual, context, tolerance)
        return [counts, *self.compare_pairs(subject, pairs, tolerance)]

    def compare_pairs(
        self, subject: ComparedOutput, pairs: Sequence[CropPair], tolerance: Tolerance
    ) -> Sequence[Comparison]:
        """Compare what two answers say of the same crops."""
        raise NotImplementedError

    def read_result(self, result: Mapping[str, Any]) -> Sequence[Detection]:
        """Return the detections."""
        return [msgspec.convert(each, self.detection_type) for each in result["detections"]]

    def typescript(self, task: Any) -> TypeNames:
        """Return that a result holds objects with boxes."""
        return TypeNames("detections", functions=OBJECT_FUNCTIONS)


def around(crop: Crop, label: str = UNKNOWN_OBJECT) -> dict[str, Any]:
    """Return the fields of a detection that are those of what a crop was cut around."""
    box = crop.around
    return {
        "box": Box(*box.box),
        "score": box.score,
        "class_index": box.class_index,
        "label": label if box.label is None else box.label,
    }
