"""Samples of a later stage: the outputs of earlier stages on their samples, and the other inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import CropInput, ImageInput, Input, TensorInput
from webbuild.manifest.stages import stage_inputs
from webbuild.preprocess.crop import line_columns, place_crop, select_crop_boxes
from webbuild.preprocess.crop_box import CropBox
from webbuild.preprocess.image import input_size, load_image
from webbuild.preprocess.letterbox import ImagePlacement
from webbuild.preprocess.line_parts import line_parts
from webbuild.preprocess.number_feeds import number_feeds
from webbuild.preprocess.picture import crops_to_tensor, picture_to_tensor
from webbuild.preprocess.state_feeds import state_feeds
from webbuild.samples.random_inputs import NO_RANGES, Ranges, random_tensor
from webbuild.samples.sample import Sample, feeds_beside_image

Answers = Mapping[tuple[str, str], NDArray[Any]]
"""The outputs of the stages on a sample, by stage and output."""


def stage_samples(
    samples: Sequence[Sample],
    answers: Mapping[str, Answers],
    inputs: Sequence[Input],
    ranges: Ranges = NO_RANGES,
    boxes_by_sample: Mapping[str, Sequence[CropBox]] | None = None,
) -> list[Sample]:
    """Return a sample of a stage for each sample of the first stage, with the same name and picture.

    Inputs of unknown meaning are random, different for each sample.

    Args:
        samples: the samples of the first stage.
        answers: the outputs of earlier stages, by sample name.
        inputs: the inputs of the stage.
        ranges: the value ranges of its bounded inputs.
        boxes_by_sample: the detected boxes of each sample. The best box is cropped; without boxes, the whole picture.
    """
    boxes = boxes_by_sample or {}
    return [
        _sample(each, answers[each.name], inputs, ranges, index, boxes.get(each.name, ()))
        for index, each in enumerate(samples)
    ]


def _sample(
    sample: Sample,
    stage_outputs: Answers,
    inputs: Sequence[Input],
    ranges: Ranges,
    index: int,
    boxes: Sequence[CropBox],
) -> Sample:
    joined = {spec.name: stage_outputs[spec.stage, spec.output].astype(spec.dtype) for spec in stage_inputs(inputs)}
    tensors = [spec for spec in inputs if isinstance(spec, TensorInput)]
    placement = sample.placement
    others = (
        {**number_feeds(inputs), **state_feeds(inputs)} if placement is None else feeds_beside_image(inputs, placement)
    )
    image = next((spec for spec in inputs if isinstance(spec, ImageInput | CropInput)), None)
    pictures: dict[str, NDArray[Any]] = {}
    if image is not None and sample.image_file is not None:
        pictures[image.name], placement = stage_picture(sample.image_file, image, boxes)
    drawn = _draw(tensors, ranges, index, 0)
    return Sample(
        sample.name,
        {**others, **pictures, **drawn, **joined},
        sample.image_file,
        placement,
        sample.size,
        redraw=partial(_draw, tensors, ranges, index) if tensors else None,
    )


def stage_picture(
    file: Path, spec: ImageInput | CropInput, boxes: Sequence[CropBox]
) -> tuple[NDArray[Any], ImagePlacement]:
    """Return the tensor and the placement of the crop around the best box, or of the whole picture without boxes.

    For text lines it is the longest line that fits, so that the input's whole width is tested.
    """
    rgba = load_image(file)
    if isinstance(spec, CropInput) and (wanted := select_crop_boxes(boxes, spec)):
        fitting = [each for each in wanted if spec.aspect == "line" and line_columns(each, spec) <= input_size(spec)[1]]
        box = max(fitting, key=lambda each: line_columns(each, spec), default=wanted[0])
        return crops_to_tensor(rgba, spec, [place_crop(line_parts(box, spec)[0], spec)])
    return picture_to_tensor(rgba, spec)


def _draw(tensors: Sequence[TensorInput], ranges: Ranges, index: int, attempt: int) -> dict[str, NDArray[Any]]:
    return {spec.name: np.asarray(random_tensor(spec, index + 1000 * attempt, ranges)) for spec in tensors}
