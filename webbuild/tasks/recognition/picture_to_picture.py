"""Recognize image-to-image models by shapes, confirmed by their configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import UNSET, Struct

from webbuild.manifest.inputs.input import Input
from webbuild.manifest.inputs.letterbox import Letterbox
from webbuild.manifest.inputs.mask import MaskInput
from webbuild.manifest.inputs.option import NumberInput
from webbuild.manifest.inputs.picture import ImageInput, MaskChannel, ReferenceInput
from webbuild.manifest.inputs.tensor import TensorInput
from webbuild.manifest.tasks.image import ImageTask
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.preprocess.picture_shape import (
    Layout,
    mask_of_shape,
    masked_picture_of_shape,
    number_of_shape,
    picture_of_shape,
)
from webbuild.preprocess.reference_image import image_to_reference_input, reference_to_image_input
from webbuild.tasks.recognition.hub_preprocessor import read_normalization
from webbuild.tasks.recognition.tensor_inputs import tensor_input_spec
from webbuild.tasks.task_match import TaskMatch

_MAX_SCALE = 8
_RESTORATION_TYPES = {"swin2sr"}
"""`model_type` of transformers' image restoration models."""
_DEFAULT_PREPROCESSING = "pictures are stretched, RGB, scaled to 0..1, unless an option says otherwise"


class PictureInputs(Struct, frozen=True):
    """The inputs of an image-to-image model: an RGB picture, optionally with a mask, or luma; and numbers.

    The mask is a separate input, or the fourth channel of the picture input. `reference` is a second picture.
    """

    image: ImageInput
    mask: MaskInput | MaskChannel | None = None
    numbers: tuple[NumberInput, ...] = ()
    reference: ReferenceInput | None = None

    def by_name(self) -> dict[str, Input]:
        """Return all inputs by name."""
        channel = self.mask if isinstance(self.mask, MaskChannel) else UNSET
        image = msgspec.structs.replace(self.image, mask=channel)
        mask = self.mask if isinstance(self.mask, MaskInput) else None
        inputs: list[Input | None] = [image, *self.numbers, mask, self.reference]
        return {spec.name: spec for spec in inputs if spec is not None}

    def swapped(self) -> PictureInputs | None:
        """Return the inputs with picture and reference swapped, None if there is only one picture."""
        if self.reference is None:
            return None
        image, reference = reference_to_image_input(self.reference), image_to_reference_input(self.image)
        return msgspec.structs.replace(self, image=image, reference=reference)

    def in_order_of(self, inputs: Sequence[Input]) -> tuple[Input, ...]:
        """Return all inputs in the order of the model's inputs."""
        known = self.by_name()
        return tuple(known.get(spec.name, spec) for spec in inputs)


def find_picture_inputs(inputs: Sequence[Input]) -> PictureInputs | None:
    """Return the inputs of an image-to-image model, None if there are others among them."""
    tensors = [spec for spec in inputs if isinstance(spec, TensorInput)]
    pictures = [*map(picture_of_shape, tensors), *map(masked_picture_of_shape, tensors)]
    images = [each for each in pictures if each is not None and (each.color != "rgba" or each.mask)]
    image = next((each for color in ("rgb", "rgba", "gray") for each in images if each.color == color), None)
    if image is None:
        return None
    rest = [spec for spec in inputs if spec.name != image.name]
    numbers = tuple(number for spec in rest if (number := number_of_shape(spec)) is not None)
    masks = [mask for spec in rest if (mask := mask_of_shape(spec, image)) is not None]
    others = [each for each in images if each.color == "rgb" and each.name != image.name]
    if len(masks) + len(others) > (image.color == "rgb") or len(masks) + len(others) + len(numbers) != len(rest):
        return None
    reference = image_to_reference_input(others[0]) if others else None
    return PictureInputs(image, masks[0] if masks else image.mask or None, numbers, reference)


def infer_picture_to_picture(signature: ModelSignature, *, requested: bool) -> TaskMatch | None:
    """Return the match of an image-to-image model, None for other models.

    Unless requested, the configuration next to the model must indicate it.
    """
    known = signature.hub_files.config.get("model_type") in _RESTORATION_TYPES
    if not (requested or known) or not all(_is_fixed(spec) for spec in signature.inputs):
        return None
    inputs = [tensor_input_spec(spec) for spec in signature.inputs]
    found = find_picture_inputs(inputs)
    tasks = [] if found is None else list(image_tasks(found.image, signature.outputs))
    if found is None or not tasks:
        return None
    picture, picture_note = _preprocessing(found.image, signature)
    (task, *_) = tasks
    assumption = f"output '{task.output}' is a picture of {describe_scale(task)}"
    guessed = picture_note if picture_note == _DEFAULT_PREPROCESSING else ""
    ordered_inputs = msgspec.structs.replace(found, image=picture).in_order_of(inputs)
    return TaskMatch(task, ordered_inputs, (assumption, picture_note), guessed_recipe=guessed)


def _is_fixed(spec: TensorSpec) -> bool:
    return all(isinstance(size, int) for size in spec.shape)


def image_tasks(image: ImageInput, outputs: Sequence[TensorSpec]) -> Iterator[ImageTask]:
    """Yield a task for each output with the shape of a picture of an integer multiple of the input's size.

    The output must have three channels, or one for a luma input.
    """
    luma = image.color == "gray"
    height, width = image.shape[2:4] if image.layout == "nchw" else image.shape[1:3]
    for output in outputs:
        planes = _planes(output, 1 if luma else 3)
        if planes is None:
            continue
        layout, rows, columns = planes
        scale = rows // height
        if 1 <= scale <= _MAX_SCALE and (rows, columns) == (height * scale, width * scale):
            high = 255.0 if output.dtype == "uint8" else 1.0
            yield ImageTask(output=output.name, layout=layout, scale=scale, high=high, luma=luma)


def describe_scale(task: ImageTask) -> str:
    """Return the size of the output picture relative to the input's, as text."""
    return "the input's size" if task.scale == 1 else f"{task.scale} times the input's size"


def _planes(output: TensorSpec, channels: int) -> tuple[Layout, int, int] | None:
    """Return the layout, height and width of an output [1, channels, h, w] or [1, h, w, channels]."""
    if output.dtype not in ("float32", "uint8"):
        return None
    match output.shape:
        case (1, int(first), int(rows), int(columns)) if first == channels:
            return "nchw", rows, columns
        case (1, int(rows), int(columns), int(last)) if last == channels:
            return "nhwc", rows, columns
    return None


def _preprocessing(image: ImageInput, signature: ModelSignature) -> tuple[ImageInput, str]:
    """Return the preprocessing: from the configuration next to the model, else a scaling to 0..1."""
    normalization = read_normalization(signature.hub_files.preprocessor)
    if normalization is None or image.dtype != "float32":
        return image, _DEFAULT_PREPROCESSING
    known = msgspec.structs.replace(
        image,
        scale=normalization.scale,
        mean=[*normalization.mean, 0.0][: len(image.mean)],
        std=[*normalization.std, 1.0][: len(image.std)],
        letterbox=Letterbox(mode="stretch", interpolation=normalization.interpolation),
    )
    return known, normalization.source
