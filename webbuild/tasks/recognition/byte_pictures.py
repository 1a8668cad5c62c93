"""Pictures of uint8 or int32 elements: such a model normalizes the pixels in its graph."""

from __future__ import annotations

import re

import msgspec

from webbuild.manifest.manifest import CropInput, ImageInput, Input
from webbuild.preprocess.image import pad_color
from webbuild.preprocess.recipe_text import describe_recipe
from webbuild.tasks.task_match import TaskMatch

_NORMALIZING = re.compile(r"scaled|normalized|-1 to 1|deviation|pixel values")
"""Words of an assumption about pixel values."""


def with_byte_pictures(match: TaskMatch) -> TaskMatch:
    """Return the match with pixel values 0..255 in pictures and crops of integers, whatever is usual for their task.

    The padding keeps its colour.
    """
    pictures = [spec for spec in match.inputs if isinstance(spec, ImageInput | CropInput) and spec.dtype != "float32"]
    untrue = [each for each in match.assumptions if _NORMALIZING.search(each) and not each.startswith("task ")]
    inputs = tuple(_as_bytes(spec) if spec in pictures else spec for spec in match.inputs)
    if not pictures or not (untrue or inputs != match.inputs):
        return match
    picture = next(spec for spec in inputs if spec.name == pictures[0].name)
    assert isinstance(picture, ImageInput | CropInput)
    what = describe_recipe(picture) if isinstance(picture, ImageInput) else f"{picture.color.upper()} crops, 0..255"
    sentence = f"input '{picture.name}' takes {'bytes' if picture.dtype == 'uint8' else picture.dtype}: {what}"
    kept = tuple(each for each in match.assumptions if each not in untrue)
    return msgspec.structs.replace(
        match,
        inputs=inputs,
        assumptions=(*kept, sentence),
        guessed_recipe=sentence if match.guessed_recipe else "",
    )


def _as_bytes(spec: Input) -> Input:
    assert isinstance(spec, ImageInput | CropInput)
    channels = len(spec.mean)
    plain = msgspec.structs.replace(spec, scale=1.0, mean=[0.0] * channels, std=[1.0] * channels)
    if isinstance(spec, ImageInput) and isinstance(plain, ImageInput) and spec.letterbox.pad == "mean":
        letterbox = msgspec.structs.replace(spec.letterbox, pad=pad_color(spec).tolist())
        plain = msgspec.structs.replace(plain, letterbox=letterbox)
    return plain
