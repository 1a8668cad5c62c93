"""Base class of text recognition: the dictionary, and properties measured on photographs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.compare.arrays import compare_arrays
from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.manifest.manifest import TextRecognition
from webbuild.tasks.base import TaskKind
from webbuild.tasks.options.labels import LabelsFile
from webbuild.tasks.recognition.text_dictionary import (
    dictionary_mismatch,
    fit_dictionary,
    no_dictionary,
    read_dictionary,
)
from webbuild.tasks.recognition.text_recognizers import with_measured_scores
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch

_LEAST_PROBABILITY = 1e-7
"""Smaller probabilities are compared as this value: in half precision they are 0."""
_SLACK = 1e-3
"""Rounding may raise a probability above 1 by this much."""


class TextRecognitionKind(TaskKind):
    """A task with character scores as output; see `TextRecognition`."""

    predicts_more = True

    def with_values(self, match: TaskMatch, values: Sequence[NDArray[Any]]) -> TaskMatch:
        """Return the match with properties measured on photographs: logits or probabilities, and the blank's class."""
        return with_measured_scores(match, values)

    def compare_output(
        self,
        task: TextRecognition,
        subject: ComparedOutput,
        expected: NDArray[Any],
        actual: NDArray[Any],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison] | None:
        """Compare the logarithms of probabilities, since an export without softmax is compared by logits.

        An error e of a logit changes a probability p by up to p (1 - p) e. Text and scores are compared separately.
        """
        if subject.output != task.output or task.logits or not all(map(_are_probabilities, (expected, actual))):
            return None
        sides = (np.log(np.maximum(each.astype(np.float64), _LEAST_PROBABILITY)) for each in (expected, actual))
        return [compare_arrays(subject, *sides, relative=tolerance.relative)]

    def fits_labels(self, match: TaskMatch, labels: LabelsFile) -> bool:
        """Whether the file is a dictionary for the model's classes."""
        count = len(_characters(match))
        return fit_dictionary(read_dictionary(labels).characters, count, blank_first=True) is not None

    def with_labels(self, match: TaskMatch, labels: LabelsFile | None) -> TaskMatch:
        """Return the match with the characters in the file, else with those from the model's own files.

        Raises:
            WebbuildError: `wrong-labels`; `no-dictionary` if there is neither.
        """
        task, characters = match.task, _characters(match)
        assert isinstance(task, TextRecognition)
        if labels is None:
            if not any(characters):
                raise no_dictionary(task.output, len(characters))
            return match
        dictionary = read_dictionary(labels)
        fitted = fit_dictionary(dictionary.characters, len(characters), blank_first=task.blank == 0)
        if fitted is None:
            raise dictionary_mismatch(dictionary, task.output, len(characters))
        task = msgspec.structs.replace(task, characters="\n".join(fitted.characters), blank=fitted.blank)
        assumptions = tuple(each for each in match.assumptions if not each.startswith("the characters are"))
        assumptions = (*assumptions, f"the characters are those in {dictionary.source}")
        return msgspec.structs.replace(match, task=task, assumptions=assumptions)


def _characters(match: TaskMatch) -> list[str]:
    """Return the character of each class; all empty while the dictionary is unknown."""
    assert isinstance(match.task, TextRecognition)
    return match.task.characters.split("\n")


def _are_probabilities(values: NDArray[Any]) -> bool:
    return not (values.size and (values.min() < 0 or values.max() > 1 + _SLACK))
