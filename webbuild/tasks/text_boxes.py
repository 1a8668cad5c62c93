"""Text boxes (text detection): the positions of text in a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.compare.arrays import compare_arrays
from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import TextBoxesTask
from webbuild.model.signature import ModelSignature
from webbuild.runners.tensors import Tensors
from webbuild.tasks.base import TaskKind
from webbuild.tasks.decoding.boxes import box_areas, enclosing_boxes
from webbuild.tasks.decoding.detection import Box, TextBox
from webbuild.tasks.decoding.text_map import find_text, probabilities, reading_order
from webbuild.tasks.metrics.compare_text_boxes import compare_text_boxes
from webbuild.tasks.recognition.text_detectors import infer_text_detector, with_measured_range
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import OBJECT_FUNCTIONS, TypeNames

_LABEL = "text"


class TextBoxesKind(TaskKind):
    """See `TextBoxesTask` for the decoding of the map."""

    spec = TextBoxesTask
    page_template = "detections"
    noun = "detection"
    has_detections = True
    sample_folder = "signs"
    predicts_more = True
    description = "Finds text in a picture"
    required_signature = "one picture [1, 3, h, w], and one map [1, 1, h, w] of how probable text is"

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Recognize text detectors by their names; any model with one map if requested."""
        return infer_text_detector(signature, requested=requested)

    def with_values(self, match: TaskMatch, values: Sequence[NDArray[Any]]) -> TaskMatch:
        """Return the match with the value range measured on photographs: probabilities, or logits."""
        finite = np.concatenate([each[np.isfinite(each)] for each in values])
        return with_measured_range(match, finite) if finite.size else match

    def needed_outputs(self, task: TextBoxesTask) -> Sequence[str]:
        """Return the map."""
        return (task.output,)

    def default_thresholds(self, task: TextBoxesTask) -> Mapping[str, float]:
        """Return the exported score threshold."""
        return {"confidence": task.confidence}

    def decode(self, task: TextBoxesTask, outputs: Tensors, context: RunContext) -> Sequence[TextBox]:
        """Return the boxes in reading order, clamped to the picture."""
        if (placement := context.placement) is None:
            return ()
        cells = outputs[task.output][0, 0]
        confidence = {**self.default_thresholds(task), **context.thresholds}["confidence"]
        scale = np.array([placement.input_width / cells.shape[1], placement.input_height / cells.shape[0]])
        rectangles = list(find_text(task, cells, confidence))
        corners = [placement.to_source(each.corners * scale, clamp=True) for each in rectangles]
        cell = float(scale[0]) * placement.source_width / placement.width
        boxes = enclosing_boxes(np.array(corners).reshape(-1, 4, 2))
        visible = box_areas(boxes) > 0
        return [
            TextBox(
                Box(*boxes[at].tolist()),
                rectangles[at].score,
                0,
                _LABEL,
                polygon=tuple((x, y) for x, y in corners[at].tolist()),
                cell=cell,
            )
            for at in reading_order(corners)
            if visible[at]
        ]

    def read_result(self, result: Mapping[str, Any]) -> Sequence[TextBox]:
        """Return the boxes."""
        return msgspec.convert(result["detections"], list[TextBox])

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return the tolerance of predictions in words."""
        polygons = f"polygons an IoU of {1 - tolerance.mask:g}, less if they differ by one cell of the map all around"
        return f"text boxes are matched by overlap: score {tolerance.score:g}, {polygons}"

    def summary(self, task: TextBoxesTask, pictures: int) -> str:
        """Return what the model does."""
        return "Finds where text is in a picture."

    def typescript(self, task: TextBoxesTask) -> TypeNames:
        """Return the name of the boxes."""
        return TypeNames("detections", functions=OBJECT_FUNCTIONS)

    def describe_constant_output(self, task: TextBoxesTask, name: str, array: Any) -> str:
        """Return "": the map of a picture without text is all zeros."""
        return ""

    def compare_output(
        self,
        task: TextBoxesTask,
        subject: ComparedOutput,
        expected: NDArray[Any],
        actual: NDArray[Any],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison] | None:
        """Compare the map as probabilities; without text they are near 0, where only rounding differs."""
        if subject.output != task.output:
            return None
        sides = probabilities(task, expected), probabilities(task, actual)
        return [compare_arrays(subject, *sides, rounding=tolerance.score, relative=tolerance.relative)]

    def compare(
        self,
        task: TextBoxesTask,
        subject: ComparedOutput,
        expected: Sequence[TextBox],
        actual: Sequence[TextBox],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison]:
        """Compare the boxes in pixels of the source."""
        if context.placement is None:
            return ()
        thresholds = {**self.default_thresholds(task), **context.thresholds}
        return compare_text_boxes(subject, expected, actual, thresholds["confidence"], tolerance)


TASK = TextBoxesKind()
