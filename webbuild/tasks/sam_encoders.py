"""Picture encoders of Segment Anything: how pictures go in, told by the decoder that takes what they make."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from webbuild.manifest.manifest import ImageInput, Interpolation, Letterbox, MaskGenerationTask, TensorTask
from webbuild.model.signature import ModelSignature
from webbuild.preprocess.image import input_size
from webbuild.tasks.hub_preprocessor import IMAGENET_MEAN, IMAGENET_STD, read_normalization
from webbuild.tasks.sam_decoders import decoder_outputs, resizes_through_input
from webbuild.tasks.task_match import TaskMatch
from webbuild.tasks.ultralytics_export import fixed_image_input


def infer_sam_encoder(signature: ModelSignature, later: Sequence[ModelSignature]) -> TaskMatch | None:
    """Return the spec of an encoder of pictures whose output a mask decoder takes, None for any other stage.

    Raw pixels go into an encoder with channels last, which normalises them itself.
    """
    decoder = next((each for each in later if decoder_outputs(each) is not None), None)
    if decoder is None or len(signature.inputs) != 1:
        return None
    (spec,) = signature.inputs
    letterbox = resizes_through_input({given.name: given for given in decoder.inputs})
    raw = fixed_image_input(spec, "nhwc")
    image = raw or fixed_image_input(spec)
    if image is None:
        return None
    picture, said = _picture(image, signature, letterbox=letterbox, raw=raw is not None)
    return TaskMatch(TensorTask(), (picture,), (f"the picture encoder of {decoder.file}: {said}",))


def with_encoder(match: TaskMatch, earlier: Sequence[TaskMatch]) -> TaskMatch:
    """Return the match of a decoder whose frame is the encoder's input, the longer side of one that is no square."""
    image = next((spec for stage in earlier for spec in stage.inputs if isinstance(spec, ImageInput)), None)
    if image is None or not isinstance(match.task, MaskGenerationTask):
        return match
    side = max(input_size(image))
    return msgspec.structs.replace(match, task=msgspec.structs.replace(match.task, frame=[side, side]))


def _picture(image: ImageInput, signature: ModelSignature, *, letterbox: bool, raw: bool) -> tuple[ImageInput, str]:
    """Return how pictures go in, and that in words.

    SAM keeps the aspect ratio, its padding is 0 in the tensor; SAM 2 stretches.
    """
    known = read_normalization(signature.hub_files.preprocessor)
    interpolation: Interpolation = "bilinear-antialias"
    fitted = Letterbox(mode="stretch", interpolation=interpolation)
    if letterbox:
        fitted = Letterbox(anchor="top-left", pad=0 if raw else "mean", interpolation=interpolation)
    placed = "keep their aspect ratio, at the upper left" if letterbox else "are stretched"
    if raw:
        return msgspec.structs.replace(image, scale=1.0, letterbox=fitted), f"pictures {placed}, RGB of 0..255"
    mean, std = (IMAGENET_MEAN, IMAGENET_STD) if known is None else (known.mean, known.std)
    scale = 1 / 255 if known is None else known.scale
    how = "by ImageNet's mean and deviation" if known is None else "as preprocessor_config.json says"
    picture = msgspec.structs.replace(image, scale=scale, mean=mean, std=std, letterbox=fitted)
    return picture, f"pictures {placed}, RGB, scaled to 0..1 and normalised {how}"
