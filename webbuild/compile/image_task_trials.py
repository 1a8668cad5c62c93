"""Trials of a picture model: how much the output resembles the input for each input range and mask meaning."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.compile.image_similarity import ImageSimilarity, measure_similarity, shrink
from webbuild.compile.output_range import OutputRange
from webbuild.compile.pixel_ranges import STUDIO, with_range
from webbuild.compile.preprocessing_trials import SECONDS, sample_canvases
from webbuild.errors import WebbuildError
from webbuild.manifest.inputs.mask import MaskInput
from webbuild.manifest.inputs.picture import ImageInput, MaskChannel, ReferenceInput
from webbuild.manifest.tasks.image import ImageTask
from webbuild.preprocess.image import LUMA, input_size, normalize
from webbuild.preprocess.mask import Hole, mask_tensor, with_mask_channel, with_zeroed_hole
from webbuild.preprocess.reference_image import reference_to_image_input
from webbuild.runners.native import NativeRunner
from webbuild.tasks.decoding.output_picture import picture_planes

Numbers = NDArray[np.float64]

_RANGES = ((0.0, 1.0), (-1.0, 1.0), (0.0, 255.0))
"""Output ranges (black, white), the narrowest first: the first one that contains the output is chosen."""
_SLACK, _WITHIN = 0.1, 0.98
"""Allowed overshoot of a range, relative to its width, and the fraction of values that must be within it."""
_UNCHANGED = 1e-3
"""Largest difference, relative to white, at which the output does not depend on the pixels in the hole."""


class PreprocessingCandidate(Struct, frozen=True):
    """Preprocessing of a picture, and the meaning of its mask."""

    image: ImageInput
    mask: MaskInput | MaskChannel | None


class PictureTrial(Struct, frozen=True):
    """Result of one trial: the task with its output range and channel order, and the likeness of output and input.

    `error` is the RMS difference from the input, relative to white. If the model takes a mask, likeness and error
    cover only pixels outside the hole.
    """

    candidate: PreprocessingCandidate
    task: ImageTask
    likeness: ImageSimilarity
    error: float


class PictureModel(Struct, frozen=True):
    """The original model, its feeds other than pictures and mask, and the output range read from its graph.

    `reference` is the input of a second picture, in the same range as the first.
    """

    original: NativeRunner
    other_feeds: Mapping[str, NDArray[Any]]
    bounds: OutputRange | None
    reference: ReferenceInput | None = None


class Canvas(Struct, frozen=True):
    """A photograph at the size of the input, and another photograph for the second picture input, if there is one."""

    picture: Numbers
    other: Numbers | None = None


def _trial_hole(image: ImageInput) -> Hole:
    """Return a hole in the lowest third of an input, [H, W]: the pixels above it are compared."""
    height, width = input_size(image)
    hole = np.zeros((height, width), bool)
    hole[height * 2 // 3 :, width // 3 : width * 2 // 3] = True
    return hole


def try_candidates(
    candidates: Sequence[PreprocessingCandidate], task: ImageTask, model: PictureModel
) -> Iterator[PictureTrial]:
    """Yield a trial of each candidate on two photographs while time is left; skip outputs with NaN or infinity."""
    canvases, left, longest = _canvases(candidates[0].image, model), SECONDS, 0.0
    for candidate in candidates:
        if longest > left:
            return
        began = time.monotonic()
        try:
            planes = [_planes(candidate, task, model, canvas) for canvas in canvases]
        except WebbuildError:
            continue
        took = time.monotonic() - began
        longest, left = max(longest, took), left - took
        if all(np.isfinite(each).all() for each in planes):
            yield _judge(candidate, task, model, [each.picture for each in canvases], planes)


def ignores_hole(trial: PictureTrial, model: PictureModel) -> bool:
    """Whether the output does not depend on the pixels in the hole."""
    canvas = _canvases(trial.candidate.image, model)[0]
    empty, full = (
        _planes(trial.candidate, trial.task, model, canvas, empty_hole=empty_hole) for empty_hole in (True, False)
    )
    white = trial.task.high - trial.task.low
    return bool(np.abs(empty.astype(np.float64) - full).max() <= _UNCHANGED * white)


def _canvases(image: ImageInput, model: PictureModel) -> list[Canvas]:
    pictures = sample_canvases(image)
    if model.reference is None:
        return [Canvas(each) for each in pictures]
    others = reversed(sample_canvases(reference_to_image_input(model.reference)))
    return [Canvas(*each) for each in zip(pictures, others, strict=True)]


def _planes(
    candidate: PreprocessingCandidate, task: ImageTask, model: PictureModel, canvas: Canvas, *, empty_hole: bool = True
) -> NDArray[Any]:
    picture, other_feeds = normalize(canvas.picture, candidate.image), {}
    if model.reference is not None and canvas.other is not None:
        other_feeds[model.reference.name] = normalize(
            canvas.other, reference_to_image_input(with_first_range(model.reference, candidate.image))
        )
    if candidate.mask is not None:
        hole = _trial_hole(candidate.image)
        picture = with_zeroed_hole(picture, candidate.image, hole) if empty_hole else picture
        if isinstance(candidate.mask, MaskChannel):
            picture = with_mask_channel(picture, candidate.image, candidate.mask, hole)
        else:
            other_feeds[candidate.mask.name] = mask_tensor(candidate.mask, hole)
    answer = model.original.run({**model.other_feeds, **other_feeds, candidate.image.name: picture})
    return picture_planes(task, answer[task.output])


def _judge(
    candidate: PreprocessingCandidate,
    task: ImageTask,
    model: PictureModel,
    canvases: Sequence[Numbers],
    planes: Sequence[NDArray[Any]],
) -> PictureTrial:
    known = len(canvases[0]) if candidate.mask is None else len(canvases[0]) * 2 // 3
    compared = [(_grey_canvas(canvas) if task.luma else canvas)[:known] for canvas in canvases]
    outputs = [np.broadcast_to(each, (3, *each.shape[1:]))[:, : known * task.scale] for each in planes]
    likeness = measure_similarity(compared, outputs)
    small = [shrink(each[::-1] if likeness.order == "bgr" else each, task.scale) for each in outputs]
    want = [canvas.transpose(2, 0, 1) / 255 for canvas in compared]
    low, high = _output_range(candidate.image, model, planes)
    squares = [((got - low) / (high - low) - wanted) ** 2 for got, wanted in zip(small, want, strict=True)]
    error = float(np.sqrt(np.mean([each.mean() for each in squares])))
    order = "bgr" if (likeness.order == "bgr") != (task.order == "bgr") else "rgb"
    return PictureTrial(candidate, msgspec.structs.replace(task, low=low, high=high, order=order), likeness, error)


def _output_range(image: ImageInput, model: PictureModel, planes: Sequence[NDArray[Any]]) -> tuple[float, float]:
    """Return the values of black and white: a model for the studio range also outputs the studio range."""
    studio = with_range(image, STUDIO)
    if image.color == "gray" and np.allclose([image.scale, *image.mean, *image.std], [studio.scale, *studio.mean, 1]):
        return 16 / 255, 235 / 255
    if model.bounds:
        return model.bounds.low, model.bounds.high
    return next((each for each in _RANGES if _fits(each, planes)), _RANGES[0])


def with_first_range(reference: ReferenceInput, image: ImageInput) -> ReferenceInput:
    """Return the input of the second picture with the normalization of the first one."""
    return msgspec.structs.replace(reference, scale=image.scale, mean=image.mean, std=image.std)


def _grey_canvas(canvas: Numbers) -> Numbers:
    """Return the luma of colours [height, width, 3], in each of the three channels."""
    return np.repeat(canvas @ np.array([LUMA], np.float64).T, 3, axis=-1)


def _fits(ends: tuple[float, float], planes: Sequence[NDArray[Any]]) -> bool:
    low, high = ends
    slack = _SLACK * (high - low)
    return all(bool(np.mean((each >= low - slack) & (each <= high + slack)) >= _WITHIN) for each in planes)
