"""The match of a model with a task: the task, its inputs, the assumptions."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from webbuild.manifest.manifest import Input, Task
from webbuild.postprocess.grounding import GroundingPostprocess
from webbuild.postprocess.postprocess import Postprocess


class TaskMatch(Struct, frozen=True):
    """The match of a model with a task.

    Attributes:
        task: the struct in the manifest.
        inputs: the inputs, with their preprocessing.
        assumptions: sentences about what the model does not state, for the user to check.
        postprocess: the postprocessing that the export lacks, such as NMS; None if the outputs are final.
        files: more files of the bundle, by name.
        guessed: whether only shapes identify the task, so that outputs for photographs have to confirm it.
        guessed_recipe: the assumption about preprocessing, if neither the model nor its family states it; else empty.
        measured_output: the output with a value range to measure on photographs, if the graph does not show it; or "".
    """

    task: Task
    inputs: tuple[Input, ...]
    assumptions: tuple[str, ...]
    postprocess: Postprocess | None = None
    files: Mapping[str, bytes] = {}
    guessed: bool = False
    guessed_recipe: str = ""
    measured_output: str = ""

    @property
    def lacks_head(self) -> bool:
        """Whether a pass has to append postprocessing to the model's outputs."""
        return not isinstance(self.postprocess, GroundingPostprocess | None)
