"""Tasks that say something of each crop: of what an earlier stage found, or of the whole picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import Task
from webbuild.model.signature import ModelSignature
from webbuild.preprocess.crop_box import Crop
from webbuild.runners.tensors import Tensors
from webbuild.tasks.base import TaskKind
from webbuild.tasks.decoding.crop_attribute_text import crop_attribute_text
from webbuild.tasks.decoding.crop_detection import CropDetection
from webbuild.tasks.decoding.detection import Box, Detection
from webbuild.tasks.metrics.compare_crops import compare_crop_attributes
from webbuild.tasks.metrics.match_crops import match_crops
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import OBJECT_FUNCTIONS, TypeNames

UNKNOWN_OBJECT = "object"
"""The label of a crop of which nothing says what is in it, as in the runtime."""


class CropKind(TaskKind):
    """A task whose outputs [crops, ...] become a detection each, in the order of the crops."""

    page_template = "detections"
    has_detections = True
    noun = "detection"
    says: str
    """The field of a `CropDetection` that it fills in."""
    result_field = "detections"

    def for_crops(self, match: TaskMatch, signature: ModelSignature) -> TaskMatch | None:
        """Return the match: such a stage takes crops."""
        return match

    def needed_outputs(self, task: Any) -> Sequence[str]:
        """Return the output."""
        return (task.output,)

    def decode(self, task: Any, outputs: Tensors, context: RunContext) -> Sequence[CropDetection]:
        """Return what each crop was cut around, with what the outputs say of it."""
        crops = () if context.placement is None else context.placement.crops
        return [self.decode_crop(task, crop, outputs[task.output][at]) for at, crop in enumerate(crops)]

    def decode_crop(self, task: Any, crop: Crop, values: Any) -> CropDetection:
        """Return what a crop was cut around, with what its row of the output says."""
        raise NotImplementedError

    def found_objects(self, prediction: Sequence[CropDetection]) -> Sequence[Detection]:
        """Return the objects with what is said of them, their labels and scores those of the detector."""
        return prediction

    def compare(
        self,
        task: Any,
        subject: ComparedOutput,
        expected: Sequence[Any],
        actual: Sequence[Any],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison]:
        """Compare how many objects there are, and all that is said of each, matched by their boxes."""
        counts, pairs = match_crops(subject, expected, actual, context, tolerance)
        return [counts, *compare_crop_attributes(self.says, subject, pairs, tolerance)]

    def staged_summary(self, task: Any, earlier: Sequence[Task]) -> str:
        """Return what all stages do together."""
        phrases = [words for each in (*earlier, task) if (words := crop_attribute_text(each))]
        if len(phrases) < 2:
            return self.summary_behind_detector(task)
        return f"Finds objects, and of each {', '.join(phrases[:-1])} and {phrases[-1]}, looked at in crops."

    def summary_behind_detector(self, task: Any) -> str:
        """Return what an earlier stage and this one do together."""
        raise NotImplementedError

    def read_result(self, result: Mapping[str, Any]) -> Sequence[CropDetection]:
        """Return the detections."""
        return [_read(each) for each in result[self.result_field]]

    def typescript(self, task: Any) -> TypeNames:
        """Return that a result holds objects with boxes."""
        return TypeNames(self.result_field, functions=OBJECT_FUNCTIONS, says=self.says)


def around(crop: Crop, label: str = UNKNOWN_OBJECT) -> dict[str, Any]:
    """Return the fields of a detection that are those of what a crop was cut around, with what was said of that."""
    box = crop.around
    return {
        "box": Box(*box.box),
        "score": box.score,
        "class_index": box.class_index,
        "label": label if box.label is None else box.label,
        "polygon": box.polygon,
        **box.attributes,
    }


def _read(fields: Mapping[str, Any]) -> CropDetection:
    """Return an object of a result, its vector as numbers: it comes as an array of float32."""
    vector = fields.get("embedding", ())
    return msgspec.convert({**fields, "embedding": list(map(float, vector))}, CropDetection)
