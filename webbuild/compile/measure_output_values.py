"""Meaning of an output's values, measured on two photographs if the graph does not determine it."""

from __future__ import annotations

from webbuild.compile.preprocessing_trials import sample_answers
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import CropInput, ImageInput
from webbuild.runners.native import NativeRunner
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch


def with_measured_values(match: TaskMatch, original: NativeRunner) -> TaskMatch:
    """Return the match with the measured meaning of its `measured_output`; unchanged without one."""
    images = [spec for spec in match.inputs if isinstance(spec, ImageInput | CropInput)]
    if not match.measured_output or len(images) != 1 or len(match.inputs) != 1:
        return match
    try:
        answers = sample_answers(images[0], original)
    except WebbuildError:
        return match
    return kind_of(match.task).with_values(match, [each[match.measured_output] for each in answers])
