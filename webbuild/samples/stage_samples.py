"""Samples of a stage that takes what earlier stages make: their answers to their samples, and what else it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import ImageInput, Input, TensorInput
from webbuild.manifest.stages import stage_inputs
from webbuild.preprocess.image import image_to_tensor, load_image
from webbuild.preprocess.number_feeds import number_feeds
from webbuild.preprocess.state_feeds import state_feeds
from webbuild.samples.random_inputs import NO_RANGES, Ranges, random_tensor
from webbuild.samples.sample import Sample, feeds_beside_image

Answers = Mapping[tuple[str, str], NDArray[Any]]
"""What the stages gave on a sample, by stage and output."""


def stage_samples(
    samples: Sequence[Sample], answers: Mapping[str, Answers], inputs: Sequence[Input], ranges: Ranges = NO_RANGES
) -> list[Sample]:
    """Return a sample of a stage for each of the first stage, of the same name and picture.

    Tensors that nothing tells of are drawn, others for each sample.

    Args:
        samples: of the first stage.
        answers: what the earlier stages gave on each, by its name.
        inputs: of the stage.
        ranges: of its inputs that may not hold just any number.
    """
    return [_sample(each, answers[each.name], inputs, ranges, index) for index, each in enumerate(samples)]


def _sample(sample: Sample, made: Answers, inputs: Sequence[Input], ranges: Ranges, index: int) -> Sample:
    joined = {spec.name: made[spec.stage, spec.output].astype(spec.dtype) for spec in stage_inputs(inputs)}
    tensors = [spec for spec in inputs if isinstance(spec, TensorInput)]
    placement = sample.placement
    beside = (
        {**number_feeds(inputs), **state_feeds(inputs)} if placement is None else feeds_beside_image(inputs, placement)
    )
    image = next((spec for spec in inputs if isinstance(spec, ImageInput)), None)
    pictures: dict[str, NDArray[Any]] = {}
    if image is not None and sample.image_file is not None:
        pictures[image.name], placement = image_to_tensor(load_image(sample.image_file), image)
    drawn = _draw(tensors, ranges, index, 0)
    return Sample(
        sample.name,
        {**beside, **pictures, **drawn, **joined},
        sample.image_file,
        placement,
        sample.size,
        redraw=partial(_draw, tensors, ranges, index) if tensors else None,
    )


def _draw(tensors: Sequence[TensorInput], ranges: Ranges, index: int, attempt: int) -> dict[str, NDArray[Any]]:
    return {spec.name: np.asarray(random_tensor(spec, index + 1000 * attempt, ranges)) for spec in tensors}
