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
    """Recognition methods of a task: by inputs, outputs and metadata, then by output values of trial runs."""

    required_signature: str = ""
    """The inputs and outputs that the task requires, for the error `task-mismatch`; no full stop."""
    needs_earlier: bool = False
    """Whether the model needs the outputs of an earlier stage; on its own its task is `tensor`."""
    makes_picture: bool = False
    """Whether a prediction is a picture; its value range and channel order are then measured on photographs."""
    sample_folder: str = "pictures"
    """The folder of `webbuild/samples/` with the default sample pictures of the task."""
    checks_answers: bool = False
    """Whether the task implements `answer_warnings`."""

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Return the match if the model is of this task, else None.

        `requested` means that the user named this task: matching shapes are then enough, without matching metadata.

        Raises:
            WebbuildError: `class-count-mismatch` if the model's metadata and scores do not agree.
        """
        raise NotImplementedError

    def is_named(self, signature: ModelSignature) -> bool:
        """Whether the outputs' names identify this task; `infer` of the other tasks is then not called."""
        return False

    def infer_earlier(self, signature: ModelSignature, later: Sequence[ModelSignature]) -> TaskMatch | None:
        """Return the match of an earlier stage, inferred from the stages `later` that take its outputs, or None.

        Its task is `tensor`: only the preprocessing of its inputs is known.
        """
        return None

    def earlier_sizes(self, signature: ModelSignature, later: Sequence[ModelSignature]) -> Mapping[str, int]:
        """Return sizes of an earlier stage's free dimensions, by "input:axis", that follow from the stages `later`."""
        return {}

    def with_earlier(self, match: TaskMatch, earlier: Sequence[TaskMatch]) -> TaskMatch:
        """Return the match of a stage, updated with what earlier stages define, such as the input size."""
        return match

    def with_point_side(self, match: TaskMatch, side: int) -> TaskMatch:
        """Return the match of a mask decoder; its graph divides points by `side`, the side of their frame."""
        return match

    def for_crops(self, match: TaskMatch, signature: ModelSignature) -> TaskMatch | None:
        """Return the match of a stage that runs on crops of an earlier stage's boxes, None if it cannot."""
        return None

    def cropped_classes(self, task: Any) -> Sequence[str]:
        """Return the classes whose boxes are cropped, such as `person`; none for boxes of any class."""
        return ()

    def with_values(self, match: TaskMatch, values: Sequence[NDArray[Any]]) -> TaskMatch:
        """Return the match, updated by the values of its `measured_output` on sample photographs."""
        return match

    def fits_labels(self, match: TaskMatch, labels: LabelsFile) -> bool:
        """Whether a model has as many classes as the file of `--labels` has names."""
        classes = getattr(match.task, "classes", None)
        return classes is not None and len(classes) == len(read_class_names(labels))

    def with_labels(self, match: TaskMatch, labels: LabelsFile | None) -> TaskMatch:
        """Return the match with the names in the file of `--labels`; `labels` is None without that option.

        Raises:
            WebbuildError: `unreadable-labels`, `wrong-labels`; `no-dictionary` if a task requires labels.
        """
        return match if labels is None else with_class_names(match, labels)

    def with_joined(self, task: Any, joined: Sequence[JoinedTensor]) -> Any:
        """Return the task with the tensors that its outputs concatenate; unchanged if it decodes the outputs."""
        return task

    def answer_warnings(self, task: Any, answers: Sequence[Tensors]) -> Sequence[str]:
        """Return warnings about implausible outputs for unrelated photographs, as sentences."""
        return ()
