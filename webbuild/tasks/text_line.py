"""Text line (text recognition): the text in a picture of one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import TextLineTask
from webbuild.model.signature import ModelSignature
from webbuild.runners.tensors import Tensors
from webbuild.tasks.decoding.characters import TextLine, place_characters, to_text_line
from webbuild.tasks.kind.text_recognition import TextRecognitionKind
from webbuild.tasks.metrics.compare_text import compare_lines
from webbuild.tasks.recognition.text_recognizers import infer_text_line, score_rows
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.text import text_for_crops
from webbuild.tasks.type_names import TypeNames


class TextLineKind(TextRecognitionKind):
    """See `TextLineTask` for the output."""

    spec = TextLineTask
    page_template = "text"
    sample_folder = "lines"
    description = "Reads a line of text"
    required_signature = "one picture, and one output [1, columns, characters] or [columns, 1, characters] of scores"

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Recognize text recognizers by shapes and dictionary; by output shape alone if requested."""
        return infer_text_line(signature, requested=requested)

    def for_crops(self, match: TaskMatch, signature: ModelSignature) -> TaskMatch | None:
        """Return the match for lines that an earlier stage detects."""
        return text_for_crops(match)

    def needed_outputs(self, task: TextLineTask) -> Sequence[str]:
        """Return the scores."""
        return (task.output,)

    def decode(self, task: TextLineTask, outputs: Tensors, context: RunContext) -> Sequence[TextLine]:
        """Return the line."""
        if (placement := context.placement) is None:
            return ()
        rows = score_rows(task, outputs[task.output])
        scale = placement.source_width / placement.width
        column = placement.input_width / len(rows)
        read = place_characters(
            task, rows, column=column, left=placement.left, scale=scale, width=placement.source_width
        )
        return [to_text_line(task, read)]

    def is_empty(self, prediction: Sequence[TextLine]) -> bool:
        """Whether there is no text in the picture."""
        return not any(each.text for each in prediction)

    def read_result(self, result: Mapping[str, Any]) -> Sequence[TextLine]:
        """Return the line."""
        return [msgspec.convert(result, TextLine, from_attributes=False)]

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return the tolerance of predictions in words."""
        return f"the same text, a score of {tolerance.score:g}"

    def summary(self, task: TextLineTask, pictures: int) -> str:
        """Return what the model does."""
        return "Reads the text in a picture of one line."

    def typescript(self, task: TextLineTask) -> TypeNames:
        """Return the name of the text."""
        return TypeNames("text")

    def compare(
        self,
        task: TextLineTask,
        subject: ComparedOutput,
        expected: Sequence[TextLine],
        actual: Sequence[TextLine],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison]:
        """Compare the text by its character error rate, and the score."""
        return compare_lines(subject, expected, actual, tolerance)


TASK = TextLineKind()
