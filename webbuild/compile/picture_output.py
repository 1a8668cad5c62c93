"""Whether a model's output is a picture of what went in: tried on two photographs with native ONNX Runtime."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
import onnx_ir as ir
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.compile.graph_recipe import describe_graph_recipe, read_graph_recipe
from webbuild.compile.number_inputs import choose_numbers, describe_number, number_of_shape
from webbuild.compile.output_range import OutputRange, read_output_range
from webbuild.compile.picture_likeness import Likeness, measure_likeness, shrink
from webbuild.compile.picture_trials import SECONDS, sample_canvases
from webbuild.compile.pixel_ranges import IMAGENET, PLAIN, SIGNED, UNIT, with_range
from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import ImageInput, ImageTask, Input
from webbuild.model.load import model_signature
from webbuild.preprocess.image import normalize
from webbuild.preprocess.number_feeds import number_feeds
from webbuild.preprocess.recipe_text import describe_recipe
from webbuild.runners.native import NativeRunner
from webbuild.tasks.base import TaskMatch
from webbuild.tasks.output_picture import picture_planes
from webbuild.tasks.picture_to_picture import describe_scale, image_tasks

Numbers = NDArray[np.float64]

_RANGES = ((0.0, 1.0), (-1.0, 1.0), (0.0, 255.0))
"""Values of black and white, from the narrowest on: the first that an output lies in is taken."""
_SLACK, _WITHIN = 0.1, 0.98
"""Part of a range by which, and of the values that, may lie outside of it."""
_CONFIGURED = "as configured"
_BETTER = 0.05
"""Root mean square in parts of white by which a range has to fit better to be taken in place of a commoner one."""


class PictureTrial(Struct, frozen=True):
    """A way to put pictures in, and what came out: the task with its range and order, and how like the input it is.

    `error` is the root mean square of the difference from the input, in parts of white.
    """

    image: ImageInput
    task: ImageTask
    likeness: Likeness
    error: float


def find_picture_output(
    match: TaskMatch, image: ImageInput, graph: ir.Model, original: NativeRunner
) -> TaskMatch | None:
    """Return a model of plain tensors as one that makes pictures, None where its answers do not show that it does."""
    numbers = [number for spec in match.inputs if (number := number_of_shape(spec)) is not None]
    outputs = model_signature("", graph).outputs
    if image.color != "rgb" or any(len(output.shape) != len(image.shape) for output in outputs):
        return None
    tasks = list(image_tasks(image, outputs))
    if tasks and numbers:
        numbers = list(choose_numbers(image, numbers, original))
    for task in tasks:
        best, reason = _try_ways(task, image, graph, original, number_feeds(numbers))
        if best is None or not best.likeness.is_picture:
            continue
        given: dict[str, Input] = {image.name: best.image, **{each.name: each for each in numbers}}
        how = f"input '{image.name}' takes a picture, by its shape: {_recipe_text(best.image, reason)}"
        said = (_describe(best, read_output_range(graph, task.output)), how, *map(describe_number, numbers))
        return msgspec.structs.replace(
            match, task=best.task, inputs=tuple(given[spec.name] for spec in match.inputs), assumptions=said
        )
    return None


def with_measured_picture(match: TaskMatch, graph: ir.Model, original: NativeRunner) -> TaskMatch:
    """Return a model that makes pictures with what its answers show: their range, their order, how pictures go in."""
    images = [spec for spec in match.inputs if isinstance(spec, ImageInput)]
    if len(images) != 1:
        return match
    (image,) = images
    task: Any = match.task
    known = not match.guessed_recipe
    best, reason = _try_ways(task, image, graph, original, number_feeds(match.inputs), known=known)
    if best is None:
        return match
    inputs = tuple(best.image if spec is image else spec for spec in match.inputs)
    how = f"input '{image.name}': {_recipe_text(best.image, reason)}"
    said = [how if each == match.guessed_recipe else each for each in match.assumptions[1:]]
    first = _describe(best, read_output_range(graph, task.output))
    return msgspec.structs.replace(match, task=best.task, inputs=inputs, assumptions=(first, *said))


def _try_ways(
    task: ImageTask,
    image: ImageInput,
    graph: ir.Model,
    original: NativeRunner,
    beside: dict[str, NDArray[Any]],
    *,
    known: bool = False,
) -> tuple[PictureTrial | None, str]:
    """Return the way to put pictures in with which the output is nearest to them, and why; the commonest of equals."""
    said = read_graph_recipe(graph, image) if image.dtype == "float32" and not known else None
    ways, reason = [with_range(image, each) for each in (UNIT, SIGNED, PLAIN, IMAGENET)], ""
    if known or image.dtype == "uint8":
        ways, reason = [image], "sure: it takes bytes" if image.dtype == "uint8" else _CONFIGURED
    elif said is not None:
        ways, reason = [with_range(image, said.values)], describe_graph_recipe(said)
    bounds = read_output_range(graph, task.output)
    trials = list(_trials(ways, task, bounds, original, beside))
    if not trials:
        return None, reason
    least = min(each.error for each in trials)
    best = next(each for each in trials if each.error <= least + _BETTER)
    return best, reason or _why(trials, best)


def _why(trials: Sequence[PictureTrial], best: PictureTrial) -> str:
    others = [each.error for each in trials if each is not best]
    if others and min(others) > best.error + _BETTER:
        return f"likely: so the output is {best.error:.2f} of white from the input, else {min(min(others), 99):.2f}"
    return "a guess: with another range the output is as near to the input"


def _trials(
    ways: Sequence[ImageInput],
    task: ImageTask,
    bounds: OutputRange | None,
    original: NativeRunner,
    beside: dict[str, NDArray[Any]],
) -> Iterator[PictureTrial]:
    """Yield what becomes of two photographs, way by way, as long as there is time; what is not finite is left out."""
    canvases, left, longest = sample_canvases(ways[0]), SECONDS, 0.0
    for image in ways:
        if longest > left:
            return
        began = time.monotonic()
        try:
            answers = [original.run({**beside, image.name: normalize(canvas, image)}) for canvas in canvases]
        except WebbuildError:
            continue
        took = time.monotonic() - began
        longest, left = max(longest, took), left - took
        planes = [picture_planes(task, answer[task.output]) for answer in answers]
        if all(np.isfinite(each).all() for each in planes):
            yield _judge(image, task, bounds, canvases, planes)


def _judge(
    image: ImageInput,
    task: ImageTask,
    bounds: OutputRange | None,
    canvases: Sequence[Numbers],
    planes: Sequence[NDArray[Any]],
) -> PictureTrial:
    likeness = measure_likeness(canvases, planes)
    small = [shrink(each[::-1] if likeness.order == "bgr" else each, task.scale) for each in planes]
    want = [canvas.transpose(2, 0, 1) / 255 for canvas in canvases]
    fitting = [(bounds.low, bounds.high)] if bounds else [each for each in _RANGES if _fits(each, planes)]
    low, high = fitting[0] if fitting else _RANGES[0]
    squares = [((got - low) / (high - low) - wanted) ** 2 for got, wanted in zip(small, want, strict=True)]
    error = float(np.sqrt(np.mean([each.mean() for each in squares])))
    order = "bgr" if (likeness.order == "bgr") != (task.order == "bgr") else "rgb"
    found = msgspec.structs.replace(task, low=low, high=high, order=order)
    return PictureTrial(image, found, likeness, error)


def _fits(ends: tuple[float, float], planes: Sequence[NDArray[Any]]) -> bool:
    low, high = ends
    slack = _SLACK * (high - low)
    return all(bool(np.mean((each >= low - slack) & (each <= high + slack)) >= _WITHIN) for each in planes)


def _describe(trial: PictureTrial, bounds: OutputRange | None) -> str:
    task, likeness = trial.task, trial.likeness
    sure = bounds.reason if bounds else "likely: by its numbers"
    ends = f"black is {task.low:g} and white {task.high:g} ({sure}), {task.order.upper()}"
    said = f"task image: output '{task.output}' is a picture of {describe_scale(task)}; {ends}"
    seen = f"it correlates with two photographs by {likeness.luma:.2f}, their edges by {likeness.edges:.2f}"
    if likeness.is_picture:
        return f"{said}; {seen}: not inverted, not shifted"
    if likeness.luma < 0:
        return f"{said}; a guess: {seen}: it may be inverted"
    return f"{said}; a guess: {seen}" + (f", shifted by {list(likeness.shift)}" if any(likeness.shift) else "")


def _recipe_text(image: ImageInput, reason: str) -> str:
    order = f"; {image.color.upper()} is a guess" if reason != _CONFIGURED else ""
    return f"{describe_recipe(image)} ({reason}{order}); change it with --scale, --mean, --std, --color or --resize"
