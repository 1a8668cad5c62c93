"""What a model was taken for."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from webbuild.manifest.manifest import Input, Task
from webbuild.postprocess.grounding import GroundingPostprocess
from webbuild.postprocess.postprocess import Postprocess


class TaskMatch(Struct, frozen=True):
    """What a model was taken for. `assumptions` are sentences: what was not said and is believed.

    `postprocess` is what the model lacks before its output is what `task` says. `files` go into the bundle
    under these names. `guessed` says that shapes alone told it, which answers to photographs have to confirm.
    `guessed_recipe` is the assumption that says how pictures go in, where neither the model nor its family tells it.
    `measured_output` is one whose values on photographs say what they mean, as the graph does not.
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
        """Whether operators are to be appended to the model's outputs."""
        return not isinstance(self.postprocess, GroundingPostprocess | None)
