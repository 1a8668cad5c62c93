"""What the whole picture shows."""

from __future__ import annotations

from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class ClassifyTask(Task, tag="classify", kw_only=True, frozen=True):
    """What the whole picture shows.

    `output` [1, classes] holds a probability each or, with `logits`, what softmax makes one of.
    """

    output: OutputName
    classes: list[str]
    logits: bool
