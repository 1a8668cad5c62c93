"""Models that take a picture and return one: recognised by their shapes, told by their configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import msgspec

from webbuild.manifest.manifest import DType, ImageInput, Letterbox, TensorInput
from webbuild.manifest.tasks import ImageTask
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.preprocess.picture_shape import Layout, picture_of_shape
from webbuild.tasks.base import TaskMatch
from webbuild.tasks.hub_preprocessor import read_normalization

MAX_SCALE = 8
_RESTORATION_TYPES = {"swin2sr"}
"""`model_type` of transformers' networks that restore pictures."""
_DEFAULT_PREPROCESSING = "pictures are stretched, RGB, scaled to 0..1, unless an option says otherwise"


def infer_picture_to_picture(signature: ModelSignature, *, requested: bool) -> TaskMatch | None:
    """Return the spec of a model that makes a picture of one picture, None for any other.

    Unless the user asked, the configuration beside the model has to say so.
    """
    known = signature.hub_files.config.get("model_type") in _RESTORATION_TYPES
    if len(signature.inputs) != 1 or not (requested or known):
        return None
    image = image_of_spec(signature.inputs[0])
    if image is None:
        return None
    tasks = list(image_tasks(image, signature.outputs))
    if not tasks:
        return None
    picture, said = _preprocessing(image, signature)
    task = tasks[0]
    assumption = f"output '{task.output}' is a picture of {describe_scale(task)}"
    guessed = said if said == _DEFAULT_PREPROCESSING else ""
    return TaskMatch(task, (picture,), (assumption, said), guessed_recipe=guessed)


def image_of_spec(spec: TensorSpec) -> ImageInput | None:
    """Return an input of a fixed shape as a picture of three channels, None where it has not the shape of one."""
    shape = [size for size in spec.shape if isinstance(size, int)]
    if len(shape) != len(spec.shape) or spec.dtype not in ("float32", "uint8"):
        return None
    image = picture_of_shape(TensorInput(name=spec.name, dtype=cast("DType", spec.dtype), shape=shape))
    return image if image is not None and image.color == "rgb" else None


def image_tasks(image: ImageInput, outputs: Sequence[TensorSpec]) -> Iterator[ImageTask]:
    """Yield for each output that has the shape of a picture, a whole number of times the input's size, its task."""
    height, width = image.shape[2:4] if image.layout == "nchw" else image.shape[1:3]
    for output in outputs:
        found = _planes(output)
        if found is None:
            continue
        layout, rows, columns = found
        scale = rows // height
        if 1 <= scale <= MAX_SCALE and (rows, columns) == (height * scale, width * scale):
            high = 255.0 if output.dtype == "uint8" else 1.0
            yield ImageTask(output=output.name, layout=layout, scale=scale, high=high)


def describe_scale(task: ImageTask) -> str:
    """Return the size of a picture beside that of the input."""
    return "the input's size" if task.scale == 1 else f"{task.scale} times the input's size"


def _planes(output: TensorSpec) -> tuple[Layout, int, int] | None:
    """Return the layout, height and width of an output [1, 3, h, w] or [1, h, w, 3]."""
    if output.dtype not in ("float32", "uint8"):
        return None
    match output.shape:
        case (1, 3, int(rows), int(columns)):
            return "nchw", rows, columns
        case (1, int(rows), int(columns), 3):
            return "nhwc", rows, columns
    return None


def _preprocessing(image: ImageInput, signature: ModelSignature) -> tuple[ImageInput, str]:
    """Return how pictures go in: as is configured beside the model, else scaled to 0..1."""
    normalization = read_normalization(signature.hub_files.preprocessor)
    if normalization is None or image.dtype == "uint8":
        return image, _DEFAULT_PREPROCESSING
    known = msgspec.structs.replace(
        image,
        scale=normalization.scale,
        mean=normalization.mean,
        std=normalization.std,
        letterbox=Letterbox(mode="stretch", interpolation=normalization.interpolation),
    )
    return known, normalization.source
