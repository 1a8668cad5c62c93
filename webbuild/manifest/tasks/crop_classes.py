"""The classes of each object that an earlier stage finds."""

from __future__ import annotations

from webbuild.manifest.output import OutputName
from webbuild.manifest.tasks.task import Task


class CropClassesTask(Task, tag="crop-classes", kw_only=True, frozen=True):
    """The classes of each object that an earlier stage finds.

    `output` [crops, classes] holds a probability each or, with `logits`, what softmax makes one of.
    """

    output: OutputName
    classes: list[str]
    logits: bool
