"""Guesses the image input of a model without configuration from its shape, the preprocessing from graph or trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.compile.graph_recipe import describe_graph_recipe, read_graph_recipe
from webbuild.compile.layer_ranges import LayerRanges, weigh_ranges
from webbuild.compile.number_inputs import choose_numbers, describe_number
from webbuild.compile.pixel_ranges import CENTRED, PLAIN, UNIT, PixelRange, range_of, usual_ranges, with_range
from webbuild.compile.preprocessing_trials import PreprocessingTrials
from webbuild.manifest.manifest import ImageInput, Input, StateInput, TensorInput
from webbuild.model.signature import ModelSignature
from webbuild.preprocess.number_feeds import number_feeds
from webbuild.preprocess.picture_shape import has_fourth_channel, may_be_spectrogram, number_of_shape, picture_of_shape
from webbuild.preprocess.recipe_text import describe_recipe
from webbuild.runners.native import NativeRunner
from webbuild.samples.random_inputs import check_size
from webbuild.tasks.recognition.image_encoder_families import configured_picture
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch

_CLEAR_RATIO = 1.5
"""Minimum ratio of picture dependence at which another range is chosen over the usual one."""
_TIE_RATIO = 0.95
"""Ranges above this fraction of the largest dependence count as equal: the most common one is chosen."""
_MAX_OVERSHOOT = 0.1
"""Fraction of landmark coordinates outside of 0..1 that rules out a range, if the usual range has none."""
_BGR_RATIO = 2.0
"""Minimum ratio of picture dependence at which BGR is chosen over RGB."""
_BY_MEANS = "its means determine the channel order"
_AS_BYTES = "BGR is a guess: most networks that take 0..255 come from Caffe, OpenCV or OpenVINO, which use BGR"
_MIN_DEPENDENCE = 0.01
"""Picture dependence below which the outputs hardly depend on the picture."""


def find_picture_input(match: TaskMatch) -> ImageInput | None:
    """Return the only tensor input as a picture, None if it is not shaped like one.

    The model may also have number inputs of one float each.

    Raises:
        WebbuildError: `input-too-large`.
    """
    others = [spec for spec in match.inputs if number_of_shape(spec) is None and not isinstance(spec, StateInput)]
    if kind_of(match.task).compares_predictions or len(others) != 1:
        return None
    (spec,) = others
    if not isinstance(spec, TensorInput):
        return None
    check_size(spec.name, spec.shape, np.dtype(spec.dtype))
    return None if may_be_spectrogram(spec) else picture_of_shape(spec)


def with_tensor_reason(match: TaskMatch) -> TaskMatch:
    """Add why a single input shaped like a picture stays a tensor: it has four channels, or may be a spectrogram."""
    (spec,) = match.inputs if len(match.inputs) == 1 else (None,)
    if isinstance(spec, TensorInput) and has_fourth_channel(spec):
        assumption = f"input '{spec.name}' has 4 channels: the fourth may be alpha, a mask or a latent"
    elif isinstance(spec, TensorInput) and may_be_spectrogram(spec):
        assumption = f"input '{spec.name}' may be a spectrogram, not a grey picture as with --color gray"
    else:
        return match
    return msgspec.structs.replace(match, assumptions=(*match.assumptions, f"{assumption}, so it takes .npz samples"))


def with_picture_input(
    match: TaskMatch, image: ImageInput, graph: ir.Model, original: NativeRunner, signature: ModelSignature
) -> TaskMatch:
    """Turn the tensor input that `find_picture_input` returned into an image input, with its preprocessing.

    - The preprocessing is that of a configuration next to the model, such as transformers'. Without one:
    - The pixel range comes from the graph's own normalization. Without one, native ONNX Runtime tries the ranges on two
      photographs. The range with the clearly largest picture dependence is chosen, else 0..1.
    - BGR is chosen over RGB in the same way.
    - Whether pictures are stretched or letterboxed cannot be measured: they are stretched.
    """
    numbers = [number for spec in match.inputs if (number := number_of_shape(spec)) is not None]
    if numbers:
        numbers = list(choose_numbers(image, numbers, original))
    configured = configured_picture(image, signature) if image.dtype == "float32" and image.color == "rgb" else None
    if configured is not None:
        recipe: tuple[ImageInput, Sequence[str]] | None = (configured[0], (configured[1],))
    else:
        recipe = _choose_recipe(image, graph, original, UNIT, number_feeds(numbers))
    if recipe is None:
        return match
    chosen, reasons = recipe
    inputs_by_name: dict[str, Input] = {chosen.name: chosen, **{each.name: each for each in numbers}}
    values = map(describe_number, numbers)
    unknown = [each for each in match.assumptions if each.startswith("task tensor: ")]
    outputs = (each.replace("so inputs and outputs stay", "so outputs stay") for each in unknown)
    alpha = "; its fourth channel is assumed to be alpha, and filled with 255" if chosen.color == "rgba" else ""
    assumption = f"input '{chosen.name}' takes a picture, by its shape{alpha}: {_recipe_text(chosen, reasons)}"
    return msgspec.structs.replace(
        match,
        inputs=tuple(inputs_by_name[spec.name] for spec in match.inputs),
        assumptions=(*outputs, f"{assumption}, --task tensor keeps a tensor", *values),
    )


def with_measured_preprocessing(match: TaskMatch, graph: ir.Model, original: NativeRunner) -> TaskMatch:
    """Return the match with preprocessing read from the graph, else measured by trials, for a known task.

    The usual recipe of the task is kept unless another is clearly better.
    """
    images = [spec for spec in match.inputs if isinstance(spec, ImageInput)]
    if not match.guessed_recipe or len(images) != 1 or len(match.inputs) != 1:
        return match
    (image,) = images
    recipe = _choose_recipe(image, graph, original, range_of(image))
    if recipe is None:
        return match
    chosen, reasons = recipe
    assumption = f"input '{chosen.name}': {_recipe_text(chosen, reasons)}"
    assumptions = tuple(assumption if each == match.guessed_recipe else each for each in match.assumptions)
    return msgspec.structs.replace(match, inputs=(chosen,), assumptions=assumptions)


def _recipe_text(chosen: ImageInput, reasons: Sequence[str]) -> str:
    text = f"{describe_recipe(chosen)} ({'; '.join(reasons)})"
    return f"{text}; change it with --scale, --mean, --std, --color or --resize"


def _choose_recipe(
    image: ImageInput,
    graph: ir.Model,
    original: NativeRunner,
    usual: PixelRange,
    other_feeds: Mapping[str, NDArray[Any]] | None = None,
) -> tuple[ImageInput, tuple[str, ...]] | None:
    """Return the input with its preprocessing, and the reasons; None if no range gives finite outputs."""
    trials = PreprocessingTrials(image, original, other_feeds=other_feeds)
    recipe = _choose_range(image, graph, trials, usual)
    if recipe is None:
        return None
    chosen, reasons = recipe
    if chosen.color == "rgb" and reasons[-1] != _BY_MEANS:
        chosen, order = _try_bgr(chosen, trials)
        reasons = (*reasons, order)
    return chosen, reasons


def _choose_range(
    image: ImageInput, graph: ir.Model, trials: PreprocessingTrials, usual: PixelRange
) -> tuple[ImageInput, tuple[str, ...]] | None:
    """Return the input with its pixel range, and its channel order if known, and the reasons."""
    if image.dtype != "float32":
        return image, ("sure: it takes bytes",)
    graph_recipe = read_graph_recipe(graph, image)
    if graph_recipe is not None:
        chosen = with_range(image, graph_recipe.values)
        why = describe_graph_recipe(graph_recipe)
        return (
            (msgspec.structs.replace(chosen, color=graph_recipe.color), (why, _BY_MEANS))
            if graph_recipe.color
            else (chosen, (why,))
        )
    layer = weigh_ranges(graph, image, trials.canvases, usual)
    if layer and layer.reason:
        chosen = with_range(image, layer.best)
        if layer.best not in (PLAIN, CENTRED) or image.color != "rgb":
            return chosen, (layer.reason,)
        return msgspec.structs.replace(chosen, color="bgr", mean=chosen.mean[::-1]), (layer.reason, _AS_BYTES)
    tried = _try_ranges(image, trials, usual, layer)
    return None if tried is None else (with_range(image, tried[0]), (tried[1],))


def _try_ranges(
    image: ImageInput, trials: PreprocessingTrials, usual: PixelRange, layer: LayerRanges | None
) -> tuple[PixelRange, str] | None:
    """Return the best range and the reason; None if no range gives finite outputs.

    Ranges that the weights of the first layer make unlikely are not tried.
    """
    ranges = sorted(usual_ranges(image), key=lambda each: each is not usual)
    if layer is not None:
        ranges = [each for each in ranges if each is usual or each in layer.likely]
    tried = list(zip(ranges, trials.dependences([with_range(image, each) for each in ranges]), strict=False))
    scores = {values: score for values, score in tried if score is not None}
    over = {values: part for (values, _), part in zip(tried, trials.overshoots, strict=True)}
    empty = {values for (values, _), nothing in zip(tried, trials.empty, strict=True) if nothing}
    if empty and len(empty) < len(tried):  # a range with empty outputs wins only if all ranges have them
        scores = {values: score for values, score in scores.items() if values not in empty}
        over = {values: part for values, part in over.items() if values not in empty}
    if over.get(usual, 1.0) == 0 and max(over.values(), default=0.0) > _MAX_OVERSHOOT:
        return usual, "a guess: only with it are vector outputs in 0..1, as landmarks are"
    if not scores:
        return None
    most = max(scores.values())
    best = next(
        each for each in scores if scores[each] >= (most / _CLEAR_RATIO if each is usual else _TIE_RATIO * most)
    )
    if len(tried) < len(ranges):
        return best, f"a guess: the model is too slow to try more than {len(tried)} of {len(ranges)} usual ranges"
    if most < _MIN_DEPENDENCE:
        return best, "a guess: the answers hardly depend on the picture with any usual range"
    if best is usual:
        return best, "a guess: the other usual ranges make no clear difference"
    if usual in empty:
        return best, f"likely: with {usual.name} the answers to two photographs are empty"
    times = scores[best] / max(scores.get(usual, 0.0), 1e-3)
    return best, f"likely: the answers depend {times:.1f} times as much on the picture as with {usual.name}"


def _try_bgr(image: ImageInput, trials: PreprocessingTrials) -> tuple[ImageInput, str]:
    swapped = msgspec.structs.replace(image, color="bgr", mean=image.mean[::-1], std=image.std[::-1])
    tried = len(trials.empty)
    scores = list(trials.dependences([image, swapped]))
    if len(scores) < 2 or None in scores or trials.empty[tried:] == [False, True]:
        return image, "RGB is a guess"
    if trials.empty[tried:] == [True, False]:
        return swapped, "BGR is likely: with RGB the answers to two photographs are empty"
    rgb, bgr = (max(score or 0.0, 1e-3) for score in scores)
    times = f"answers depend {bgr / rgb:.2f} times as much"
    if bgr > _BGR_RATIO * rgb:
        return swapped, f"BGR is likely: with it {times} on the picture as with RGB"
    return image, f"RGB is a guess: with BGR {times} on the picture"
