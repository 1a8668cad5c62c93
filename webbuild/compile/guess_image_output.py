"""Guesses whether an output is an image: native ONNX Runtime runs two photographs, outputs are compared with inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.compile.graph_recipe import describe_graph_recipe, read_graph_recipe
from webbuild.compile.image_task_trials import (
    PictureModel,
    PictureTrial,
    PreprocessingCandidate,
    ignores_hole,
    try_candidates,
    with_first_range,
)
from webbuild.compile.number_inputs import choose_numbers, describe_number
from webbuild.compile.output_range import read_output_range
from webbuild.compile.pixel_ranges import IMAGENET, PLAIN, SIGNED, UNIT, with_range
from webbuild.compile.preprocessing_trials import sample_canvases
from webbuild.manifest.inputs.mask import MaskInput
from webbuild.manifest.inputs.option import NumberInput
from webbuild.manifest.inputs.picture import ImageInput, MaskChannel, ReferenceInput
from webbuild.manifest.tasks.image import ImageTask
from webbuild.model.read_signature import read_signature
from webbuild.preprocess.image import normalize
from webbuild.preprocess.mask import find_mask
from webbuild.preprocess.number_feeds import number_feeds
from webbuild.preprocess.recipe_text import describe_recipe
from webbuild.preprocess.reference_image import find_reference_input, reference_to_image_input
from webbuild.runners.native import NativeRunner
from webbuild.samples.random_inputs import check_size
from webbuild.tasks.recognition.picture_to_picture import (
    PictureInputs,
    describe_scale,
    find_picture_inputs,
    image_tasks,
)
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch

_CONFIGURED = "as configured"
_STUDIO_OPTIONS = "--task image --scale 219/65025 --mean=-16/255"
_BETTER = 0.05
"""Least gain in RMS difference, relative to white, at which a less common preprocessing is chosen."""


def find_picture_output(match: TaskMatch, graph: ir.Model, original: NativeRunner) -> TaskMatch | None:
    """Return the match of a tensor model as task `image`, None if no output resembles a picture input.

    Raises:
        WebbuildError: `input-too-large`.
    """
    picture_inputs = None if kind_of(match.task).compares_predictions else find_picture_inputs(match.inputs)
    outputs = read_signature("", graph).outputs
    if picture_inputs is None or any(len(output.shape) != len(picture_inputs.image.shape) for output in outputs):
        return None
    check_size(picture_inputs.image.name, picture_inputs.image.shape, np.dtype(picture_inputs.image.dtype))
    return next(
        filter(
            None,
            (
                _match_image_output(match, graph, original, each)
                for each in (picture_inputs, picture_inputs.swapped())
                if each
            ),
        ),
        None,
    )


def _match_image_output(
    match: TaskMatch, graph: ir.Model, original: NativeRunner, picture_inputs: PictureInputs
) -> TaskMatch | None:
    """Return the match of a model if its output resembles its first picture, else None."""
    tasks = list(image_tasks(picture_inputs.image, read_signature("", graph).outputs))
    if tasks and picture_inputs.numbers and picture_inputs.mask is None:
        numbers = choose_numbers(
            picture_inputs.image, picture_inputs.numbers, original, _sample_reference(picture_inputs.reference)
        )
        picture_inputs = msgspec.structs.replace(picture_inputs, numbers=numbers)
    for task in tasks:
        bounds = read_output_range(graph, task.output)
        model = PictureModel(original, number_feeds(picture_inputs.numbers), bounds, picture_inputs.reference)
        candidates, reason = _range_candidates(picture_inputs.image, graph)
        best, others = _best_candidate(_with_masks(candidates, picture_inputs.mask), task, model)
        if best is not None and best.likeness.is_picture and _is_mask(best, others):
            return _image_match(
                match, picture_inputs, model, best, reason or _describe_similarity(best, others), others
            )
    return None


def _sample_reference(reference: ReferenceInput | None) -> dict[str, NDArray[Any]]:
    if reference is None:
        return {}
    image = reference_to_image_input(reference)
    return {reference.name: normalize(sample_canvases(image)[0], image)}


def with_measured_picture(
    match: TaskMatch, graph: ir.Model, original: NativeRunner, *, configured: bool = False
) -> TaskMatch:
    """Return the match of a picture model with its measured output range, channel order and preprocessing.

    If the preprocessing is `configured`, or not a guess, no other preprocessing is tried.
    """
    task: Any = match.task
    image = next(spec for spec in match.inputs if isinstance(spec, ImageInput))
    mask = find_mask(match.inputs)
    numbers = tuple(spec for spec in match.inputs if isinstance(spec, NumberInput))
    reference = find_reference_input(match.inputs)
    model = PictureModel(original, number_feeds(numbers), read_output_range(graph, task.output), reference)
    configured = configured or not match.guessed_recipe
    candidates, reason = ([image], _CONFIGURED) if configured else _range_candidates(image, graph)
    best, others = _best_candidate(_with_masks(candidates, mask), task, model)
    if best is None:
        return match
    picture_inputs = PictureInputs(image, mask, numbers, reference)
    recognized = _image_match(match, picture_inputs, model, best, reason or _describe_similarity(best, others), others)
    if not configured:
        return recognized
    first, _, *rest = recognized.assumptions
    return msgspec.structs.replace(recognized, assumptions=(first, *match.assumptions[1:], *rest))


def _range_candidates(image: ImageInput, graph: ir.Model) -> tuple[list[ImageInput], str]:
    """Return the input ranges to try, the most common first, and the reason if there is only one."""
    if image.dtype != "float32":
        return [image], "sure: it takes bytes"
    graph_recipe = read_graph_recipe(graph, image)
    if graph_recipe is not None:
        return [with_range(image, graph_recipe.values)], describe_graph_recipe(graph_recipe)
    ranges = (UNIT, SIGNED, PLAIN, *([] if image.color == "gray" else [IMAGENET]))
    return [with_range(image, each) for each in ranges], ""


def _with_masks(images: Sequence[ImageInput], mask: MaskInput | MaskChannel | None) -> list[PreprocessingCandidate]:
    """Return each candidate with both meanings of the mask, the likelier first."""
    if mask is None:
        return [PreprocessingCandidate(image, None) for image in images]
    swapped = msgspec.structs.replace(mask, hole=mask.known, known=mask.hole)
    return [PreprocessingCandidate(image, each) for image in images for each in (mask, swapped)]


def _best_candidate(
    candidates: Sequence[PreprocessingCandidate], task: ImageTask, model: PictureModel
) -> tuple[PictureTrial | None, list[PictureTrial]]:
    """Return the trial with the output nearest to the input, the first of equals, and the other trials."""
    trials = list(try_candidates(candidates, task, model))
    if not trials:
        return None, []
    least = min(each.error for each in trials)
    best = next(each for each in trials if each.error <= least + _BETTER)
    return best, [each for each in trials if each is not best]


def _image_match(
    match: TaskMatch,
    picture_inputs: PictureInputs,
    model: PictureModel,
    best: PictureTrial,
    reason: str,
    others: Sequence[PictureTrial],
) -> TaskMatch:
    image, mask = best.candidate.image, best.candidate.mask
    how = f"input '{image.name}' takes a picture, by its shape: {_recipe_text(image, reason)}"
    if image.color == "gray" and reason != _CONFIGURED:
        how = f"{how}; for the studio range give {_STUDIO_OPTIONS}"
    assumptions = [_describe(best, model), how, *map(describe_number, picture_inputs.numbers)]
    if mask is not None:
        mask = msgspec.structs.replace(mask, empties_picture=not ignores_hole(best, model))
        assumptions.append(_describe_mask(mask, best, others))
    reference = picture_inputs.reference and with_first_range(picture_inputs.reference, image)
    if reference is not None:
        assumptions.append(f"input '{reference.name}' is a second picture: run(picture, {{ reference }}) takes it")
    inputs = PictureInputs(image, mask, picture_inputs.numbers, reference).in_order_of(match.inputs)
    return msgspec.structs.replace(match, task=best.task, inputs=inputs, assumptions=tuple(assumptions))


def _describe_similarity(best: PictureTrial, others: Sequence[PictureTrial]) -> str:
    errors = [each.error for each in others if each.candidate.mask == best.candidate.mask]
    if errors and min(errors) > best.error + _BETTER:
        other = min(min(errors), 99)
        return f"likely: output and input differ by {best.error:.2f} of white, with another range by {other:.2f}"
    return "a guess: with another range, output and input differ no more"


def _describe(trial: PictureTrial, model: PictureModel) -> str:
    task, likeness = trial.task, trial.likeness
    sure = model.bounds.reason if model.bounds else "likely: by its numbers"
    channels = "Cb and Cr are copied from the input picture" if task.luma else task.order.upper()
    ends = f"black is {task.low:g} and white {task.high:g} ({sure}), {channels}"
    what = "luma, Y of YCbCr," if task.luma else "a picture"
    text = f"task image: output '{task.output}' is {what} of {describe_scale(task)}; {ends}"
    correlation_text = f"it correlates with two photographs by {likeness.luma:.2f}, their edges by {likeness.edges:.2f}"
    if likeness.is_picture:
        return f"{text}; {correlation_text}: not inverted, not shifted"
    if likeness.luma < 0:
        return f"{text}; a guess: {correlation_text}: it may be inverted"
    return f"{text}; a guess: {correlation_text}" + (
        f", shifted by {list(likeness.shift)}" if any(likeness.shift) else ""
    )


def _inverted_mask_error(best: PictureTrial, others: Sequence[PictureTrial]) -> float:
    """Return the error with the other meaning of the mask, 0 if that was not tried."""
    errors = [
        each.error
        for each in others
        if each.candidate.image == best.candidate.image and each.candidate.mask != best.candidate.mask
    ]
    return min(errors, default=0.0)


def _is_mask(best: PictureTrial, others: Sequence[PictureTrial]) -> bool:
    """Whether a mask is certain: a fourth channel may also be alpha, or a map with little effect."""
    return not isinstance(best.candidate.mask, MaskChannel) or _inverted_mask_error(best, others) > best.error + _BETTER


def _describe_mask(mask: MaskInput | MaskChannel, best: PictureTrial, others: Sequence[PictureTrial]) -> str:
    outside_text = f"the picture around the hole changes by {best.error:.2f} of white"
    sure = "a guess: the other way round, the picture around the hole changes no more"
    if (other := _inverted_mask_error(best, others)) > best.error + _BETTER:
        sure = f"sure: {outside_text}, the other way round by {min(other, 99):.2f}"
    empty_hole = "the runtime sets the hole to 0 first: the output depends on it"
    if not mask.empties_picture:
        empty_hole = "the output does not depend on the pixels in the hole"
    meaning = f"{mask.hole:g} is a hole and {mask.known:g} is known ({sure})"
    what = (
        f"input '{mask.name}'"
        if isinstance(mask, MaskInput)
        else f"the fourth channel of '{best.candidate.image.name}'"
    )
    return f"{what} is the mask of what is filled in: {meaning}; {empty_hole}"


def _recipe_text(image: ImageInput, reason: str) -> str:
    guessed = reason != _CONFIGURED and image.color != "gray"
    order = f"; {image.color.upper()} is a guess" if guessed else ""
    return f"{describe_recipe(image)} ({reason}{order}); change it with --scale, --mean, --std, --color or --resize"
