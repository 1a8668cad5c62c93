"""Recognize image encoders of SAM by the decoder that takes their embedding, and set their preprocessing."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import ImageInput, Interpolation, Letterbox, MaskGenerationTask, TensorTask
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.preprocess.image import input_size
from webbuild.preprocess.recipe_text import describe_recipe
from webbuild.tasks.recognition.hub_preprocessor import IMAGENET_MEAN, IMAGENET_STD, read_normalization
from webbuild.tasks.recognition.image_input import fixed_image_input
from webbuild.tasks.recognition.sam_decoders import (
    SAM3_PATCH,
    decoder_outputs,
    frame_side,
    frame_text,
    resizes_through_input,
)
from webbuild.tasks.task_match import TaskMatch

_SIDES = {"nchw": (2, 3), "nhwc": (1, 2), "hwc": (0, 1)}
"""The axes of height and width by the layout of an input."""


def infer_sam_encoder(signature: ModelSignature, later: Sequence[ModelSignature]) -> TaskMatch | None:
    """Return the match of an image encoder that feeds a mask decoder, None for any other stage.

    An encoder with uint8 or channels-last input normalizes the pixels itself, so it gets raw pixels.
    """
    decoder = _decoder(later)
    if decoder is None or len(signature.inputs) != 1:
        return None
    (spec,) = signature.inputs
    letterbox = resizes_through_input(decoder)
    image = fixed_image_input(spec, "nhwc", "hwc", "nchw")
    if image is None:
        return None
    raw = image.dtype != "float32" or image.layout != "nchw"
    picture = _picture(image, signature, letterbox=letterbox, raw=raw)
    return TaskMatch(TensorTask(), (picture,), (f"the image encoder of {decoder.file}: {describe_recipe(picture)}",))


def encoder_sizes(signature: ModelSignature, later: Sequence[ModelSignature]) -> dict[str, int]:
    """Return the encoder's free height and width, by "input:axis", from the embedding size of its mask decoder."""
    decoder = _decoder(later)
    side = None if decoder is None else frame_side(decoder)
    if side is None or len(signature.inputs) != 1:
        return {}
    (spec,) = signature.inputs
    sides = next((axes for form, axes in _SIDES.items() if _is_of_form(spec, form)), ())
    return {f"{spec.name}:{axis}": side for axis in sides if not isinstance(spec.shape[axis], int)}


def _decoder(later: Sequence[ModelSignature]) -> ModelSignature | None:
    return next((each for each in later if decoder_outputs(each) is not None), None)


def _is_of_form(spec: TensorSpec, form: str) -> bool:
    return len(spec.shape) == len(form) and spec.shape[form.index("c")] == 3


def with_encoder(match: TaskMatch, earlier: Sequence[TaskMatch]) -> TaskMatch:
    """Return the match of a decoder with the encoder's input as its frame: a square of the input's longer side.

    Raises:
        WebbuildError: `stages-not-joined` if no earlier stage takes a picture to click on.
    """
    if not isinstance(match.task, MaskGenerationTask):
        return match
    earlier_inputs = [spec for stage in earlier for spec in stage.inputs]
    image = next((spec for spec in earlier_inputs if isinstance(spec, ImageInput)), None)
    if image is None:
        listed = ", ".join(f"'{spec.name}' {spec.dtype} {spec.shape}" for spec in earlier_inputs)
        raise WebbuildError(
            "stages-not-joined",
            f"the decoder takes clicks in a picture, and no stage before it takes a picture: these take {listed}",
            "export the encoder for pictures [1, 3, h, w], [1, h, w, 3] or [h, w, 3], of float32 or uint8; or write "
            'task = "tensor" for every stage in a pipeline file, and give its tensors yourself',
            exit_code=USAGE,
        )
    side, guess = max(input_size(image)), frame_text(max(match.task.frame))
    assumptions = tuple(frame_text(side) if each == guess else each for each in match.assumptions)
    task = msgspec.structs.replace(match.task, frame=[side, side])
    return msgspec.structs.replace(match, task=task, assumptions=assumptions)


def _picture(image: ImageInput, signature: ModelSignature, *, letterbox: bool, raw: bool) -> ImageInput:
    """Return the preprocessing: SAM keeps the aspect ratio and pads with 0 in the tensor; SAM 2 stretches."""
    interpolation: Interpolation = "bilinear-antialias"
    fitted = Letterbox(mode="stretch", interpolation=interpolation)
    if letterbox:
        fitted = Letterbox(anchor="top-left", pad=0 if raw else "mean", interpolation=interpolation, rounding="half-up")
    image = msgspec.structs.replace(image, letterbox=fitted)
    if raw:
        return msgspec.structs.replace(image, scale=1.0)
    known = read_normalization(signature.hub_files.preprocessor)
    if known is not None:
        return msgspec.structs.replace(image, scale=known.scale, mean=known.mean, std=known.std)
    sides = [size for spec in signature.outputs if isinstance(size := spec.shape[-1], int)]
    sam3 = bool(sides) and max(input_size(image)) == SAM3_PATCH * min(sides)
    mean, std = ([0.5] * 3, [0.5] * 3) if sam3 else (IMAGENET_MEAN, IMAGENET_STD)
    return msgspec.structs.replace(image, mean=mean, std=std)
