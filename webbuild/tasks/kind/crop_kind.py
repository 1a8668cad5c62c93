"""Tasks that run on crops: one crop per box of an earlier stage, or the whole picture as one crop."""

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

_UNKNOWN_OBJECT = "object"
"""Label of a crop of unknown class; the runtime has the same."""


class CropKind(TaskKind):
    """A task with one detection per crop: row k of its output [crops, ...] belongs to crop k."""

    page_template = "detections"
    has_detections = True
    noun = "detection"
    crop_attribute: str
    """The field of `CropDetection` that the task fills in, one of `CROP_ATTRIBUTES`."""
    result_field = "detections"

    def for_crops(self, match: TaskMatch, signature: ModelSignature) -> TaskMatch | None:
        """Return the match unchanged: every `CropKind` runs on crops."""
        return match

    def needed_outputs(self, task: Any) -> Sequence[str]:
        """Return the output."""
        return (task.output,)

    def decode(self, task: Any, outputs: Tensors, context: RunContext) -> Sequence[CropDetection]:
        """Return the detection of each crop, with the attribute from the outputs."""
        crops = () if context.placement is None else context.placement.crops
        return [self.decode_crop(task, crop, outputs[task.output][at]) for at, crop in enumerate(crops)]

    def decode_crop(self, task: Any, crop: Crop, values: Any) -> CropDetection:
        """Return the detection of one crop, with the attribute decoded from its row of the output."""
        raise NotImplementedError

    def found_objects(self, prediction: Sequence[CropDetection]) -> Sequence[Detection]:
        """Return the detections; label and score are the detector's."""
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
        """Compare the number of objects, and the attributes of each, matched by box."""
        counts, pairs = match_crops(subject, expected, actual, context, tolerance)
        return [counts, *compare_crop_attributes(self.crop_attribute, subject, pairs, tolerance)]

    def staged_summary(self, task: Any, earlier: Sequence[Task]) -> str:
        """Return a summary of all stages together."""
        phrases = [words for each in (*earlier, task) if (words := crop_attribute_text(each))]
        if len(phrases) < 2:
            return self.summary_behind_detector(task)
        return f"Finds objects, and of each {', '.join(phrases[:-1])} and {phrases[-1]}, looked at in crops."

    def summary_behind_detector(self, task: Any) -> str:
        """Return a summary of a detector followed by this stage."""
        raise NotImplementedError

    def read_result(self, result: Mapping[str, Any]) -> Sequence[CropDetection]:
        """Return the detections."""
        return [_read_detection(each) for each in result[self.result_field]]

    def typescript(self, task: Any) -> TypeNames:
        """Return the TypeScript names of a result with boxed objects."""
        return TypeNames(self.result_field, functions=OBJECT_FUNCTIONS, crop_attribute=self.crop_attribute)


def detection_fields(crop: Crop, label: str = _UNKNOWN_OBJECT) -> dict[str, Any]:
    """Return the fields of a crop's detection: its box's fields, and the attributes from earlier stages."""
    box = crop.crop_box
    return {
        "box": Box(*box.box),
        "score": box.score,
        "class_index": box.class_index,
        "label": label if box.label is None else box.label,
        "polygon": box.polygon,
        **box.attributes,
    }


def _read_detection(fields: Mapping[str, Any]) -> CropDetection:
    """Return a detection from a result of the runtime; its embedding is a float32 array there."""
    vector = fields.get("embedding", ())
    return msgspec.convert({**fields, "embedding": list(map(float, vector))}, CropDetection)
