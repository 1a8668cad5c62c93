"""Text line: the text of a picture of one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import TextLineTask
from webbuild.model.signature import ModelSignature
from webbuild.tasks.base import TaskKind
from webbuild.tasks.ctc import TextLine, read_line
from webbuild.tasks.labels import LabelsFile
from webbuild.tasks.metrics.compare_text import compare_lines
from webbuild.tasks.run_context import RunContext, Tensors
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.text_dictionary import dictionary_mismatch, fit_dictionary, no_dictionary, read_dictionary
from webbuild.tasks.text_recognisers import infer_text_line, score_rows, with_measured_scores
from webbuild.tasks.type_names import TypeNames


class TextLineKind(TaskKind):
    """See `TextLineTask` for the output."""

    spec = TextLineTask
    page_template = "text"
    predicts_more = True
    sample_folder = "lines"
    description = "Reads a line of text"
    wants = "one picture [1, 3, h, w], and one output [1, columns, characters] or [columns, 1, characters] of scores"

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Recognise text recognisers by their shapes, and what fits where the user asks."""
        return infer_text_line(signature, requested=requested)

    def with_values(self, match: TaskMatch, values: Sequence[Any]) -> TaskMatch:
        """Return the match with what the values on photographs say: logits or not, and which class is the blank."""
        return with_measured_scores(match, values)

    def fits_labels(self, match: TaskMatch, labels: LabelsFile) -> bool:
        """Whether the file is a dictionary for the model's classes."""
        assert isinstance(match.task, TextLineTask)
        count = match.task.characters.count("\n") + 1
        return fit_dictionary(read_dictionary(labels).characters, count, blank_first=True) is not None

    def with_labels(self, match: TaskMatch, labels: LabelsFile | None) -> TaskMatch:
        """Return the match with the characters in the file, else with those that the model brings along.

        Raises:
            WebbuildError: `wrong-labels`; `no-dictionary` where there is neither.
        """
        task = match.task
        assert isinstance(task, TextLineTask)
        classes = task.characters.count("\n") + 1
        if labels is None:
            if not task.characters.strip("\n"):
                raise no_dictionary(task.output, classes)
            return match
        found = read_dictionary(labels)
        fitted = fit_dictionary(found.characters, classes, blank_first=task.blank == 0)
        if fitted is None:
            raise dictionary_mismatch(found, task.output, classes)
        task = msgspec.structs.replace(task, characters="\n".join(fitted.characters), blank=fitted.blank)
        said = tuple(each for each in match.assumptions if not each.startswith("the characters are"))
        said = (*said, f"the characters are those in {found.source}")
        return msgspec.structs.replace(match, task=task, assumptions=said)

    def needed_outputs(self, task: TextLineTask) -> Sequence[str]:
        """Return the scores."""
        return (task.output,)

    def decode(self, task: TextLineTask, outputs: Tensors, context: RunContext) -> Sequence[TextLine]:
        """Return the line."""
        if (place := context.placement) is None:
            return ()
        rows = score_rows(task, outputs[task.output])
        scale = place.source_width / place.width
        column = place.input_width / len(rows)
        return [read_line(task, rows, column=column, left=place.left, scale=scale, width=place.source_width)]

    def is_empty(self, prediction: Sequence[TextLine]) -> bool:
        """Whether there is no text in the picture."""
        return not any(each.text for each in prediction)

    def read_result(self, result: Mapping[str, Any]) -> Sequence[TextLine]:
        """Return the line."""
        return [msgspec.convert(result, TextLine, from_attributes=False)]

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return in words how far two equal predictions may lie apart."""
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
