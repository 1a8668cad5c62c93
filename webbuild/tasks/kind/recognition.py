"""How a model is recognised: what of a task is known from a model's inputs, outputs and metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from webbuild.manifest.tasks.tensor import JoinedTensor
from webbuild.model.signature import ModelSignature
from webbuild.tasks.options.labels import LabelsFile
from webbuild.tasks.recognition.class_names import read_class_names, with_class_names
from webbuild.tasks.run_context import Tensors
from webbuild.tasks.task_match import TaskMatch


class Recognition:
    """What of a task recognises a model: from its inputs, outputs and metadata, then from what it answers."""

    wants: str = ""
    """What the inputs and outputs of such a model have to be, in a sentence without its full stop."""
    needs_earlier: bool = False
    """Whether such a model takes what an earlier stage makes; alone it is one of plain tensors."""
    makes_picture: bool = False
    """Whether a prediction is a picture, whose range and order answers to photographs show."""
    sample_folder: str = "pictures"
    """The folder of `webbuild/samples/` with the pictures that such a model is tried on where none are given."""
    checks_answers: bool = False
    """Whether `answer_warnings` may find something."""

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Return what the model is if it is of this kind, else None.

        `requested` says that the user named this task: what fits is believed without the model's own word.

        Raises:
            WebbuildError: `class-count-mismatch` for a model of this kind whose metadata and scores do not agree.
        """
        raise NotImplementedError

    def is_named(self, signature: ModelSignature) -> bool:
        """Whether outputs have names that only models of this kind give them; the others are then not asked."""
        return False

    def infer_earlier(self, signature: ModelSignature, later: Sequence[ModelSignature]) -> TaskMatch | None:
        """Return what a stage is whose outputs the stages `later` take, None where this task knows none of them.

        Its task is then that of plain tensors; what is known is how its inputs are filled in.
        """
        return None

    def earlier_sizes(self, signature: ModelSignature, later: Sequence[ModelSignature]) -> Mapping[str, int]:
        """Return free sizes, by "input:axis", of a stage that the stages `later`, which take its outputs, tell."""
        return {}

    def with_earlier(self, match: TaskMatch, earlier: Sequence[TaskMatch]) -> TaskMatch:
        """Return the match of a stage with what the stages before it say, such as how pictures go in."""
        return match

    def with_point_side(self, match: TaskMatch, side: int) -> TaskMatch:
        """Return the match of a graph that divides the points it is given by the side of their frame."""
        return match

    def of_crops(self, match: TaskMatch, signature: ModelSignature) -> TaskMatch | None:
        """Return the match of a stage that looks at crops of what an earlier one finds, None where it cannot."""
        return None

    def subjects(self, task: Any) -> Sequence[str]:
        """Return the classes of what its crops show, such as people; none for a task that any object is for."""
        return ()

    def with_values(self, match: TaskMatch, values: Sequence[NDArray[Any]]) -> TaskMatch:
        """Return the match with what the values of its `measured_output` on photographs say."""
        return match

    def fits_labels(self, match: TaskMatch, labels: LabelsFile) -> bool:
        """Whether a model has as many classes as the file of `--labels` has names."""
        classes = getattr(match.task, "classes", None)
        return classes is not None and len(classes) == len(read_class_names(labels))

    def with_labels(self, match: TaskMatch, labels: LabelsFile | None) -> TaskMatch:
        """Return the match with the names in the file of `--labels`, None where that was not given.

        Raises:
            WebbuildError: `unreadable-labels`, `wrong-labels`, or what of them a task cannot do without.
        """
        return match if labels is None else with_class_names(match, labels)

    def with_joined(self, task: Any, joined: Sequence[JoinedTensor]) -> Any:
        """Return the task with what its outputs are joined from; the same where it reads the outputs itself."""
        return task

    def answer_warnings(self, task: Any, answers: Sequence[Tensors]) -> Sequence[str]:
        """Return what speaks against the answers to photographs that have nothing in common, in sentences."""
        return ()
