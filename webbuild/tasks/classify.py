"""Classify: what the whole picture shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.errors import WebbuildError
from webbuild.facts import ModelFacts, TensorFact
from webbuild.manifest import ClassifyTask, ImageInput, Letterbox
from webbuild.tasks._base import Guess, Tensors
from webbuild.tasks.export_form import image_input
from webbuild.tasks.geometry import Placement
from webbuild.tasks.metadata import class_names


class ClassScore(Struct, frozen=True, rename="camel"):
    """A class, and how probable it is."""

    class_index: int
    label: str
    score: float


class ClassifyKind:
    """See `ClassifyTask` for the output."""

    kind = "classify"

    def guess(self, facts: ModelFacts, *, asked: bool = False) -> Guess | None:
        """Recognise Ultralytics' classification exports by their metadata, and what fits where the user asks.

        Raises:
            WebbuildError: `class-names` where an export has more or fewer scores than names.
        """
        if len(facts.inputs) != 1 or len(facts.outputs) != 1:
            return None
        output = facts.outputs[0]
        match output.shape:
            case (1, int(count)) if output.dtype == "float32" and count > 0:
                names = class_names(facts)
            case _:
                return None
        if facts.metadata.get("task") == self.kind and len(names) == count:
            return _exported(facts.inputs[0], output, names)
        if asked:
            return _asked(facts.inputs[0], output, count)
        if facts.metadata.get("task") == self.kind and names:
            raise _miscounted(facts.file, output, count, len(names))
        return None

    def decode(self, task: ClassifyTask, outputs: Tensors, placement: Placement | None) -> Sequence[ClassScore]:
        """Return all classes, the most probable first; of equals the one of the lower index."""
        scores = probabilities(task, outputs[task.output][0])
        order = np.argsort(-scores, kind="stable")  # NaN last
        return [ClassScore(int(i), task.classes[i], float(scores[i])) for i in order]


def probabilities(task: ClassifyTask, values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the probability of each class, [classes] from [classes]."""
    scores: NDArray[np.float64] = np.asarray(values, np.float64)
    if not task.logits:
        return scores
    with np.errstate(invalid="ignore"):
        powers = np.exp(scores - scores.max())
        result: NDArray[np.float64] = powers / powers.sum()
    return result


def _miscounted(file: str, output: TensorFact, scores: int, names: int) -> WebbuildError:
    return WebbuildError(
        "class-names",
        f"{file}: output '{output.name}' {list(output.shape)} has {scores} class scores, the metadata {names} name(s)",
        "give --task classify, and the names with --labels FILE",
    )


def _exported(picture: TensorFact, output: TensorFact, names: list[str]) -> Guess | None:
    """Return the spec of an Ultralytics export, whose graph ends in a softmax."""
    image = image_input(picture)
    if image is None:
        return None
    said = f"task classify with {len(names)} class(es), from the exporter's metadata"
    resized, how = _resized(image)
    own = f"{how}, RGB, scaled to 0..1, resized with antialias: Ultralytics' own pre-processing"
    return Guess(ClassifyTask(output=output.name, classes=names, logits=False), (resized,), (said, own))


def _asked(picture: TensorFact, output: TensorFact, count: int) -> Guess | None:
    """Return the spec of a classifier that says nothing of itself; whether it ends in a softmax shows its graph."""
    image = image_input(picture) or image_input(picture, "nhwc")
    if image is None:
        return None
    logits = output.operator not in ("Softmax", "Sigmoid")
    names = [f"class {index}" for index in range(count)]
    ending = "logits, which go through a softmax" if logits else "probabilities"
    resized, how = _resized(image)
    believed = (
        f"the {count} classes are numbered where --labels does not name them",
        f"the output holds {ending}",
        f"{how}, RGB, scaled to 0..1, resized with antialias, where no option says otherwise",
    )
    return Guess(ClassifyTask(output=output.name, classes=names, logits=logits), (resized,), believed)


def _resized(image: ImageInput) -> tuple[ImageInput, str]:
    """Return the picture as Ultralytics' classify_transforms makes it: cropped, but stretched where not square."""
    height, width = image.shape[2:4] if image.layout == "nchw" else image.shape[1:3]
    mode: Literal["crop", "stretch"] = "crop" if height == width else "stretch"
    how = "pictures are cropped to their middle" if mode == "crop" else "pictures are stretched"
    return msgspec.structs.replace(image, letterbox=Letterbox(mode=mode, resampler="bilinear-antialias")), how


TASK = ClassifyKind()
