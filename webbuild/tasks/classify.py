"""Classify: the class of the whole picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from numpy.typing import NDArray

from webbuild.compare.comparison import ComparedOutput, Comparison
from webbuild.compare.tolerances import Tolerance
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import ClassifyTask, ImageInput, Letterbox
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.preprocess.image import input_size
from webbuild.preprocess.recipe_text import describe_color
from webbuild.runners.tensors import Tensors
from webbuild.tasks.base import TaskKind
from webbuild.tasks.decoding.class_scores import ClassScore, class_probabilities, ranked_classes
from webbuild.tasks.metrics.compare_classes import compare_classes, compare_decoded_classes
from webbuild.tasks.recognition.class_names import count_classes
from webbuild.tasks.recognition.image_input import fixed_image_input
from webbuild.tasks.recognition.metadata import class_names, listed_labels
from webbuild.tasks.recognition.text_orientation import orientation_alone, orientation_for_crops
from webbuild.tasks.recognition.to_crop_classifier import to_crop_classifier
from webbuild.tasks.run_context import RunContext
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.type_names import TypeNames

_ABOVE_CHANCE, _TIMES_CHANCE = 0.05, 10
"""A best score below both 1 / classes + 0.05 and 10 / classes counts as chance."""


class ClassifyKind(TaskKind):
    """See `ClassifyTask` for the output."""

    spec = ClassifyTask
    page_template = "classes"
    ranks_classes = True
    checks_answers = True
    description = "Says what a picture shows"
    required_signature = "one picture, and one output [1, classes] of scores"

    def infer(self, signature: ModelSignature, *, requested: bool = False) -> TaskMatch | None:
        """Recognize classifiers by class names in their metadata, PaddleOCR's of lines by name, others on request.

        Raises:
            WebbuildError: `class-count-mismatch` if an export has more or fewer scores than names.
        """
        if len(signature.inputs) != 1 or len(signature.outputs) != 1:
            return None
        output = signature.outputs[0]
        match output.shape:
            case (1, int(count)) if output.dtype == "float32" and count > 0:
                names = class_names(signature)
            case _:
                return None
        if signature.metadata.get("task") == self.kind and len(names) == count:
            return _match_ultralytics(signature.inputs[0], output, names)
        if not requested and (orientation := orientation_alone(signature)) is not None:
            return orientation
        labels = listed_labels(signature)
        if requested or len(labels) == count:
            return _match_by_shape(signature.inputs[0], output, labels if len(labels) == count else [])
        if signature.metadata.get("task") == self.kind and names:
            raise _class_count_mismatch(signature.file, output, count, len(names))
        return None

    def for_crops(self, match: TaskMatch, signature: ModelSignature) -> TaskMatch | None:
        """Return a classifier of crops."""
        return orientation_for_crops(signature) or to_crop_classifier(match)

    def answer_warnings(self, task: ClassifyTask, answers: Sequence[Tensors]) -> Sequence[str]:
        """Warn if the best scores are near chance: the output may not be class scores."""
        best = max(float(class_probabilities(task, each[task.output][0]).max()) for each in answers)
        chance = 1 / len(task.classes)
        if not (best < chance + _ABOVE_CHANCE and best < _TIMES_CHANCE * chance):
            return ()
        warning = (
            f"the best of {len(task.classes)} scores is near chance on every photograph tried: {best:.2g} at most. "
            "This may be an embedding, not a classifier, or the preprocessing may be wrong: see --scale and --mean"
        )
        return (warning,)

    def needed_outputs(self, task: ClassifyTask) -> Sequence[str]:
        """Return the scores."""
        return (task.output,)

    def decode(self, task: ClassifyTask, outputs: Tensors, context: RunContext) -> Sequence[ClassScore]:
        """Return all classes, most probable first; ties by lower index."""
        return ranked_classes(task, outputs[task.output][0])

    def read_result(self, result: Mapping[str, Any]) -> Sequence[ClassScore]:
        """Return all classes, most probable first."""
        return msgspec.convert(result["classes"], list[ClassScore])

    def tolerance_text(self, tolerance: Tolerance) -> str:
        """Return the tolerance of predictions in words."""
        return f"scores {tolerance.score:g} times the best score; the best class may differ between scores that close"

    def summary(self, task: ClassifyTask, pictures: int) -> str:
        """Return what the model does."""
        return f"Says which of {len(task.classes)} classes a picture shows."

    def typescript(self, task: ClassifyTask) -> TypeNames:
        """Return the names of the classes."""
        about = "A class, and how probable it is"
        return TypeNames("classes", "ClassScore", task.classes, "picture can show", about)

    def compare_output(
        self,
        task: ClassifyTask,
        subject: ComparedOutput,
        expected: NDArray[Any],
        actual: NDArray[Any],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison] | None:
        """Compare the probabilities of all classes."""
        if subject.output != task.output:
            return None
        sides = class_probabilities(task, expected[0]), class_probabilities(task, actual[0])
        return compare_classes(task, subject, *sides, tolerance)

    def compare(
        self,
        task: ClassifyTask,
        subject: ComparedOutput,
        expected: Sequence[ClassScore],
        actual: Sequence[ClassScore],
        context: RunContext,
        tolerance: Tolerance,
    ) -> Sequence[Comparison]:
        """Compare all classes by name and order."""
        return compare_decoded_classes(task, subject, expected, actual, tolerance)


def _class_count_mismatch(file: str, output: TensorSpec, scores: int, names: int) -> WebbuildError:
    return WebbuildError(
        "class-count-mismatch",
        f"{file}: output '{output.name}' {list(output.shape)} has {scores} class scores, the metadata {names} name(s)",
        "give --task classify, and the class names with --labels FILE",
    )


def _match_ultralytics(picture: TensorSpec, output: TensorSpec, names: list[str]) -> TaskMatch | None:
    """Return the spec of an Ultralytics export, whose graph ends in a softmax."""
    image = fixed_image_input(picture, gray=True)
    if image is None:
        return None
    assumption = f"task classify with {count_classes(len(names))}, from the exporter's metadata"
    resized, how = _ultralytics_resize(image)
    recipe = f"{how}, {describe_color(resized)}, scaled to 0..1, resized with antialias: Ultralytics' own preprocessing"
    return TaskMatch(ClassifyTask(output=output.name, classes=names, logits=False), (resized,), (assumption, recipe))


def _match_by_shape(picture: TensorSpec, output: TensorSpec, names: Sequence[str]) -> TaskMatch | None:
    """Return the spec of a classifier whose metadata states no preprocessing, perhaps class names.

    The graph shows whether it ends in a softmax or sigmoid.
    """
    count = int(output.shape[1])  # type: ignore[arg-type]
    image = fixed_image_input(picture, "nchw", "nhwc", gray=True)
    if image is None:
        return None
    logits = output.operator not in ("Softmax", "Sigmoid")
    ending = "logits, which go through a softmax" if logits else "probabilities"
    resized, how = _ultralytics_resize(image)
    named = f"task classify with {count_classes(count)}, from the metadata"
    numbered = f"the {count} classes are numbered; --labels names them"
    scaled = f"{describe_color(resized)}, scaled to 0..1"
    recipe = f"{how}, {scaled}, resized with antialias, unless an option says otherwise"
    assumptions = (named if names else numbered, f"the output has {ending}", recipe)
    classes = list(names) or [f"class {index}" for index in range(count)]
    task = ClassifyTask(output=output.name, classes=classes, logits=logits)
    return TaskMatch(task, (resized,), assumptions, guessed_recipe=recipe)


def _ultralytics_resize(image: ImageInput) -> tuple[ImageInput, str]:
    """Return the preprocessing of Ultralytics' classify_transforms: cropped if square, else stretched."""
    height, width = input_size(image)
    mode: Literal["crop", "stretch"] = "crop" if height == width else "stretch"
    how = "pictures are cropped to their middle" if mode == "crop" else "pictures are stretched"
    return msgspec.structs.replace(image, letterbox=Letterbox(mode=mode, interpolation="bilinear-antialias")), how


TASK = ClassifyKind()
