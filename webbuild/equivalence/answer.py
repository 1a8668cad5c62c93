"""Answer: the outputs of one run, and the prediction decoded from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import msgspec
from numpy.typing import NDArray

from webbuild.manifest.manifest import Task
from webbuild.tasks.decoding.class_scores import ClassScore
from webbuild.tasks.decoding.detection import Detection
from webbuild.tasks.registry import decode_task, kind_of
from webbuild.tasks.run_context import RunContext


@dataclass(frozen=True)
class Answer:
    """The outputs of one run; the prediction is decoded when it is first read."""

    task: Task
    outputs: Mapping[str, NDArray[Any]]
    context: RunContext = field(default_factory=RunContext)
    decoded: Sequence[Any] | None = None
    """The prediction of a runner that decodes its outputs itself."""

    @cached_property
    def prediction(self) -> Sequence[Any]:
        """The decoded prediction of the task; empty for plain tensors."""
        return self.decoded if self.decoded is not None else decode_task(self.task, self.outputs, self.context)

    @cached_property
    def detections(self) -> Sequence[Detection]:
        """The detections of the prediction; none for a task without boxes."""
        kind = kind_of(self.task)
        return kind.detections(self.prediction) if kind.has_detections else ()

    @cached_property
    def classes(self) -> Sequence[ClassScore]:
        """The ranked classes of the prediction, the most probable first; none for other tasks."""
        return self.prediction if kind_of(self.task).ranks_classes else ()


def with_nonempty_mode(answers: Sequence[Answer]) -> list[Answer]:
    """Return the answers, decoded in the task's fallback mode if all predictions are empty in its default mode."""
    if not answers:
        return []
    task = answers[0].task
    mode = kind_of(task).fallback_mode(task)
    if mode is None or any(not kind_of(task).is_empty(each.prediction) for each in answers):
        return list(answers)
    return [replace(each, context=msgspec.structs.replace(each.context, mode=mode)) for each in answers]


def with_others(answers: Sequence[Answer]) -> list[Answer]:
    """Return the answers, each with the predictions of all others in its context if the task ranks inputs."""
    if not answers or not kind_of(answers[0].task).ranks_inputs:
        return list(answers)
    predictions = [tuple(each.prediction) for each in answers]
    others = (sum(predictions[:at] + predictions[at + 1 :], ()) for at in range(len(predictions)))
    return [
        replace(each, context=msgspec.structs.replace(each.context, others=rest))
        for each, rest in zip(answers, others, strict=True)
    ]
