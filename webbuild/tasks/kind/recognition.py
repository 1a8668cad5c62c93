"""Recognition: the methods of a task that infer it from a model's inputs, outputs and metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from webbuild.manifest.tasks.tensor import JoinedTensor
from webbuild.model.signature import ModelSignature
from webbuild.runners.tensors import Tensors
from webbuild.tasks.options.labels import LabelsFile
from webbuild.tasks.recognition.class_names import read_class_names, with_class_names
from webbuild.tasks.task_match import TaskMatch


class Recognition:
    """Recognises models: by their inputs, outputs and metadata, then by the outputs of trial runs."""

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
        """Return the match if the model is of this task, else None.

        `requested` says that the user named this task: what fits is believed without the model's own word.

        Raises:
            WebbuildError: `class-count-mismatch` for a model of this kind whose metadata and scores do not agree.
        """
        raise NotImplementedError

    def is_named(self, signature: ModelSignature) -> bool:
        """Whether the outputs' names identify this task; `infer` of the other tasks is then not called."""
        return False

    def infer_earlier(self, signature: ModelSignature, later: Sequence[ModelSignature]) -> TaskMatch | None:
        """Return the match of an earlier stage, by the stages `later` that take its outputs; None if unknown.

        Its task is then that of plain tensors; what is known is how its inputs are filled in.
        """
        return None

    def earlier_sizes(self, signature: ModelSignature, later: Sequence[ModelSignature]) -> Mapping[str, int]:
        """Return free sizes of an earlier stage, by "input:axis", that follow from the stages `later`."""
        return {}

    def with_earlier(self, match: TaskMatch, earlier: Sequence[TaskMatch]) -> TaskMatch:
        """Return the match of a stage, updated with what earlier stages define, such as the input size."""
        return match

    def with_point_side(self, match: TaskMatch, side: int) -> TaskMatch:
        """Return the match of a graph that divides the points it is given by the side of their frame."""
        return match

    def for_crops(self, match: TaskMatch, signature: ModelSignature) -> TaskMatch | None:
        """Return the match of a stage that runs on crops of an earlier stage's boxes, None if it cannot."""
        return None

    def subjects(self, task: Any) -> Sequence[str]:
        """Return the classes whose boxes are cropped, such as `person`; none if it takes any object."""
        return ()

    def with_values(self, match: TaskMatch, values: Sequence[NDArray[Any]]) -> TaskMatch:
        """Return the match, updated by the values of its `measured_output` on sample photographs."""
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
        """Return the task with the tensors that its outputs concatenate; unchanged if it decodes the outputs."""
        return task

    def answer_warnings(self, task: Any, answers: Sequence[Tensors]) -> Sequence[str]:
        """Return warnings about implausible outputs for unrelated photographs, as sentences."""
        return ()
