"""Crop classes: a classifier that runs on a crop of each detected object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import CropClassesTask
from webbuild.model.signature import ModelSignature
from webbuild.preprocess.crop_box import Crop
from webbuild.tasks.decoding.class_scores import class_probabilities, ranked_classes
from webbuild.tasks.decoding.crop_detection import CropDetection
from webbuild.tasks.decoding.detection import Detection
from webbuild.tasks.kind.crop_kind import CropKind, detection_fields
from webbuild.tasks.metrics.compare_crops import compare_class_rows
from webbuild.tasks.recognition.classifiers import infer_classifier
from webbuild.tasks.recognition.to_crop_classifier import to_crop_classifier
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch

_MOST_CLASSES = 10
"""Maximum number of classes of a crop in a result, as in the runtime."""


class CropClassesKind(CropKind):
    """See `CropClassesTask` for the output."""

    spec = CropClassesTask
    needs_earlier = True
    crop_attribute = "classes"
    description = "Says what each object is that a detector found"
    required_signature = "one picture, and one output [1, classes] of scores"

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Return a match if the user requests the task; after a detector, `for_crops` of a classifier gives it."""
        match = infer_classifier(signature) if requested else None
        return None if match is None else to_crop_classifier(match)

    def decode_crop(self, task: CropClassesTask, crop: Crop, values: NDArray[Any]) -> CropDetection:
        """Return the object of a crop with its best classes."""
        return CropDetection(
            **{**detection_fields(crop), "classes": tuple(ranked_classes(task, values)[:_MOST_CLASSES])}
        )

    def detections(self, prediction: Sequence[CropDetection]) -> Sequence[Detection]:
        """Return the objects, with the best class in their labels."""
        return [_named_by_class(each) for each in prediction]

    def compare_output(
        self,
        task: CropClassesTask,
        subject: ComparedOutput,
        expected: NDArray[Any],
        actual: NDArray[Any],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison] | None:
        """Compare the probabilities of all classes, crop by crop."""
        if subject.output != task.output:
            return None
        rows = [
            (class_probabilities(task, want), class_probabilities(task, got))
            for want, got in zip(expected, actual, strict=True)
        ]
        return compare_class_rows(subject, rows, tolerance)

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return the tolerance of predictions in words."""
        return f"scores {tolerance.score:g} times the best score; the best class may differ between scores that close"

    def summary(self, task: CropClassesTask, pictures: int) -> str:
        """Return what the model does."""
        return f"Says which of {len(task.classes)} classes a crop shows."

    def summary_behind_detector(self, task: CropClassesTask) -> str:
        """Return what an earlier stage and this stage do together."""
        return f"Finds objects, and says which of {len(task.classes)} classes each is, looked at in a crop."


def _named_by_class(each: CropDetection) -> Detection:
    best = each.classes[0]
    return msgspec.structs.replace(each, label=f"{each.label}: {best.label}", score=best.score)


TASK = CropClassesKind()
