"""Classification of each object that an earlier stage finds."""

from __future__ import annotations

from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class CropClassesTask(Task, tag="crop-classes", kw_only=True, frozen=True):
    """Classification of each object that an earlier stage finds.

    `output` [crops, classes] has a probability per class; with `logits`, softmax turns it into probabilities.
    """

    output: OutputName
    classes: list[str]
    logits: bool
