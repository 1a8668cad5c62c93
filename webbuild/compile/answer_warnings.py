"""Warnings about implausible outputs on two photographs, with the bundle's preprocessing."""

from __future__ import annotations

from webbuild.compile.preprocessing_trials import sample_answers
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import CropInput, ImageInput
from webbuild.runners.native import NativeRunner
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch


def find_answer_warnings(match: TaskMatch, original: NativeRunner) -> tuple[str, ...]:
    """Return warnings about implausible outputs; none unless the model takes one picture and nothing else."""
    kind = kind_of(match.task)
    if (
        not kind.checks_answers
        or match.lacks_head
        or len(match.inputs) != 1
        or not isinstance(match.inputs[0], ImageInput | CropInput)
    ):
        return ()
    (image,) = match.inputs
    assert isinstance(image, ImageInput | CropInput)
    try:
        answers = sample_answers(image, original)
    except WebbuildError:
        return ()
    return tuple(kind.answer_warnings(match.task, answers))
