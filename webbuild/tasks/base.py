"""The base class of tasks: inference from the model's interface, decoding, comparison, presentation."""

from __future__ import annotations

from typing import ClassVar

from webbuild.manifest.manifest import Task
from webbuild.tasks.kind.comparison import Comparing
from webbuild.tasks.kind.decoding import Decoding
from webbuild.tasks.kind.presentation import Presentation
from webbuild.tasks.kind.prompting import Prompting
from webbuild.tasks.kind.recognition import Recognition
from webbuild.tasks.kind.tiling import Tiling


class TaskKind(Recognition, Decoding, Comparing, Tiling, Prompting, Presentation):
    """A task. Each module of this folder with a variable `TASK` defines one.

    `spec` is the task's struct in the manifest; its tag is the task's name. A task overrides `infer`, `needed_outputs`
    and `decode`. The other defaults suit a task without page template, types and drawings.
    """

    spec: ClassVar[type[Task]]

    @property
    def kind(self) -> str:
        """Name of the task in the manifest and in `--task`."""
        return str(self.spec.__struct_config__.tag)

    @property
    def draws(self) -> bool:
        """Whether a report draws predictions: objects, classes or a map."""
        return bool(self.noun) or self.ranks_classes or self.makes_image
