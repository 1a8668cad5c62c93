"""A picture's input that nothing tells of: recognised by its shape, and what is done to pixel values by trial."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import ImageInput, Letterbox, TensorInput
from webbuild.model.signature import TensorSpec
from webbuild.preprocess.image import image_to_tensor, input_size, load_image
from webbuild.runners.native import NativeRunner
from webbuild.samples.random_inputs import MAX_INPUT_BYTES, SAMPLE_IMAGES
from webbuild.tasks.base import TaskMatch
from webbuild.tasks.registry import kind_of
from webbuild.tasks.ultralytics_export import fixed_image_input

MIN_SIDE = 16
"""Pixels of a side from which on three channels are taken for a picture."""
CLEARLY = 1.5
"""How many times as much answers must depend on the picture for a range to be taken in place of 0..1."""
ALIKE = 0.95
"""Part of the largest dependence from which on two ranges are as good: the commoner one is taken."""
RIPPLE = 0.05
"""Part of an answer's size below which its spread counts as that large: a ripple on a constant says little."""
HARDLY = 0.01
"""Part of an answer that comes from the picture, below which it says next to nothing of it."""


class PixelRange(Struct, frozen=True):
    """What is done to pixel values 0..255: multiplied by `scale`, minus `mean`, divided by `std`."""

    name: str
    scale: float
    mean: tuple[float, float, float] = (0.0, 0.0, 0.0)
    std: tuple[float, float, float] = (1.0, 1.0, 1.0)


RANGES = (
    PixelRange("0..1", 1 / 255),
    PixelRange("-1..1", 1 / 127.5, (1.0, 1.0, 1.0)),
    PixelRange("ImageNet's mean and deviation", 1 / 255, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    PixelRange("0..255", 1.0),
)
"""The ranges that exports use, the commonest first."""


def with_picture_input(match: TaskMatch, image: ImageInput, original: NativeRunner) -> TaskMatch:
    """Take the one input of a model of plain tensors for a picture, as `find_picture_input` recognised it.

    What pixel values become is tried on two photographs with native ONNX Runtime: the range with which the answers
    depend most on the picture is taken where it does so clearly, else 0..1.
    """
    photographs = [load_image(file) for file in sorted(SAMPLE_IMAGES.glob("*.jpg"))[:2]]
    scores = dict(_try_ranges(image, photographs, original))
    if not scores:
        return match
    most = max(scores.values())
    usual = RANGES[0]
    best = next(each for each in scores if scores[each] >= (most / CLEARLY if each is usual else ALIKE * most))
    chosen = _with_range(image, best)
    height, width = input_size(chosen)
    recipe = f"RGB, stretched to {width} x {height}, pixel values as {best.name}{_why(best, scores)}"
    outputs = "task tensor: nothing says what this model is for, so outputs stay tensors"
    said = f"input '{chosen.name}' takes a picture, by its shape: {recipe}"
    options = "--scale, --mean, --std, --color and --resize say otherwise, --task tensor keeps a tensor"
    return msgspec.structs.replace(match, inputs=(chosen,), assumptions=(outputs, f"{said}; {options}"))


def picture_dependence(one: Mapping[str, NDArray[Any]], other: Mapping[str, NDArray[Any]]) -> float:
    """Return how much the answers to two pictures differ: 0 where they are the same, 1 where they have nothing alike.

    It is the mean over the outputs of the standard deviation between the answers, as a part of that of all numbers, or
    of `RIPPLE` of their root mean square. Not a number where an answer is not finite.
    """
    shares = []
    for name, first in one.items():
        second = other[name]
        if first.shape != second.shape:
            shares.append(1.0)
            continue
        both = np.stack([first, second]).astype(np.float64)
        size = float(np.sqrt(np.mean(both**2))) if both.size else 0.0
        spread = max(float(both.std()), RIPPLE * size) if both.size else 0.0
        shares.append(float((both - both.mean(axis=0)).std() / spread) if size else 0.0)
    return float(np.mean(shares)) if shares else 0.0


def find_picture_input(match: TaskMatch) -> ImageInput | None:
    """Return the only input of a model of plain tensors as a picture, None where it has not the shape of one."""
    if kind_of(match.task).compares_predictions or len(match.inputs) != 1:
        return None
    (spec,) = match.inputs
    if not isinstance(spec, TensorInput):
        return None
    known = TensorSpec(spec.name, spec.dtype, tuple(spec.shape))
    image = fixed_image_input(known, "nchw") or fixed_image_input(known, "nhwc")
    if image is None or min(input_size(image)) < MIN_SIDE or 4 * math.prod(image.shape) > MAX_INPUT_BYTES:
        return None
    return msgspec.structs.replace(image, letterbox=Letterbox(mode="stretch"))


def _try_ranges(
    image: ImageInput, photographs: Sequence[NDArray[np.uint8]], original: NativeRunner
) -> Iterator[tuple[PixelRange, float]]:
    """Yield how much the answers depend on the picture, for each range with which they are finite."""
    for each in RANGES:
        spec = _with_range(image, each)
        try:
            one, other = (original.run({image.name: image_to_tensor(pixels, spec)[0]}) for pixels in photographs)
        except WebbuildError:
            continue
        if np.isfinite(score := picture_dependence(one, other)):
            yield each, score


def _with_range(image: ImageInput, values: PixelRange) -> ImageInput:
    return msgspec.structs.replace(image, scale=values.scale, mean=list(values.mean), std=list(values.std))


def _why(best: PixelRange, scores: Mapping[PixelRange, float]) -> str:
    """Say what the trial showed, and how sure it is."""
    if max(scores.values()) < HARDLY:
        return " (a guess: with none of the usual ranges do the answers depend on the picture)"
    usual = scores.get(RANGES[0], 0.0)
    if best is RANGES[0]:
        return " (a guess: the other usual ranges make no clear difference)"
    return f" (with it answers depend {scores[best] / max(usual, 1e-3):.1f} times as much on the picture as with 0..1)"
