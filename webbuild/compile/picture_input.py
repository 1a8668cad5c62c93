"""A picture's input that nothing tells of: recognised by its shape; how it goes in by the graph, else by trial."""

from __future__ import annotations

import msgspec
import numpy as np
import onnx_ir as ir

from webbuild.compile.graph_recipe import GraphRecipe, read_graph_recipe
from webbuild.compile.picture_trials import PictureTrials
from webbuild.compile.pixel_ranges import RANGES, UNIT, PixelRange, with_range
from webbuild.manifest.manifest import ImageInput, TensorInput
from webbuild.preprocess.image import input_size
from webbuild.preprocess.recipe_text import describe_values
from webbuild.runners.native import NativeRunner
from webbuild.samples.picture_shape import picture_of_shape
from webbuild.samples.random_inputs import check_size
from webbuild.tasks.base import TaskMatch
from webbuild.tasks.registry import kind_of

CLEARLY = 1.5
"""How many times as much answers must depend on the picture for a range to be taken in place of 0..1."""
ALIKE = 0.95
"""Part of the largest dependence from which on two ranges are as good: the commoner one is taken."""
SWAPPED = 1.25
"""How many times as much answers must depend on the picture for BGR to be taken in place of RGB."""
HARDLY = 0.01
"""Part of an answer that comes from the picture, below which it says next to nothing of it."""


def find_picture_input(match: TaskMatch) -> ImageInput | None:
    """Return the only input of a model of plain tensors as a picture, None where it has not the shape of one.

    Raises:
        WebbuildError: `input-too-large`.
    """
    if kind_of(match.task).compares_predictions or len(match.inputs) != 1:
        return None
    (spec,) = match.inputs
    if not isinstance(spec, TensorInput):
        return None
    check_size(spec.name, spec.shape, np.dtype(spec.dtype))
    return picture_of_shape(spec)


def with_picture_input(match: TaskMatch, image: ImageInput, graph: ir.Model, original: NativeRunner) -> TaskMatch:
    """Take the one input of a model of plain tensors for a picture, as `find_picture_input` recognised it.

    What pixel values become is what the graph's own normalisation expects. Where it has none it is tried on two
    photographs with native ONNX Runtime: the range with which the answers depend most on the picture is taken where
    it does so clearly, else 0..1; and BGR where that does so clearly, else RGB. Whether a picture is stretched or
    padded answers do not tell: it is stretched.
    """
    trials = PictureTrials(image, original)
    said = read_graph_recipe(graph, image)
    tried = None if said else _try_ranges(image, trials)
    if said:
        chosen, why = with_range(image, said.values), _why_graph(said)
    elif tried:
        chosen, why = with_range(image, tried[0]), tried[1]
    else:
        return match
    if said and said.color:
        chosen, order = msgspec.structs.replace(chosen, color=said.color), "channels in the order of its means"
    else:
        chosen, order = _try_bgr(chosen, trials)
    height, width = input_size(chosen)
    recipe = f"{chosen.color.upper()}, stretched to {width} x {height}, pixel values {describe_values(chosen)}"
    outputs = "task tensor: nothing says what this model is for, so outputs stay tensors"
    said_all = f"input '{chosen.name}' takes a picture, by its shape: {recipe} ({why}; {order})"
    options = "--scale, --mean, --std, --color and --resize say otherwise, --task tensor keeps a tensor"
    return msgspec.structs.replace(match, inputs=(chosen,), assumptions=(outputs, f"{said_all}; {options}"))


def _why_graph(said: GraphRecipe) -> str:
    return f"sure: of {said.values.name} the graph itself makes {said.low:.3g} to {said.high:.3g}"


def _try_ranges(image: ImageInput, trials: PictureTrials) -> tuple[PixelRange, str] | None:
    """Return the range to take and why, None where answers are finite with none."""
    tried = list(zip(RANGES, trials.dependences([with_range(image, each) for each in RANGES]), strict=False))
    scores = {values: score for values, score in tried if score is not None}
    if not scores:
        return None
    most = max(scores.values())
    best = next(each for each in scores if scores[each] >= (most / CLEARLY if each is UNIT else ALIKE * most))
    if len(tried) < len(RANGES):
        return best, f"a guess: the model is too slow to try more than {len(tried)} of {len(RANGES)} usual ranges"
    if most < HARDLY:
        return best, "a guess: with none of the usual ranges do the answers depend on the picture"
    if best is UNIT:
        return best, "a guess: the other usual ranges make no clear difference"
    times = scores[best] / max(scores.get(UNIT, 0.0), 1e-3)
    return best, f"likely: with it answers depend {times:.1f} times as much on the picture as with 0..1"


def _try_bgr(image: ImageInput, trials: PictureTrials) -> tuple[ImageInput, str]:
    swapped = msgspec.structs.replace(image, color="bgr", mean=image.mean[::-1], std=image.std[::-1])
    scores = list(trials.dependences([image, swapped]))
    if len(scores) < 2 or None in scores:
        return image, "RGB is a guess"
    rgb, bgr = (max(score or 0.0, 1e-3) for score in scores)
    times = f"{bgr / rgb:.2f} times as much"
    if bgr > SWAPPED * rgb:
        return swapped, f"BGR is likely: with it they depend {times} as with RGB"
    return image, f"RGB is a guess: with BGR they depend {times}"
