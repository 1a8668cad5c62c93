"""Classification of the whole picture."""

from __future__ import annotations

from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class ClassifyTask(Task, tag="classify", kw_only=True, frozen=True):
    """Classification of the whole picture.

    `output` [1, classes] has a probability per class; with `logits`, softmax turns it into probabilities.
    """

    output: OutputName
    classes: list[str]
    logits: bool
