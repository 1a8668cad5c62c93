"""Collect samples: the user's files, files next to the model, or generated inputs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import CropInput, FocusInput, ImageInput, Input, StackInput, TensorInput
from webbuild.preprocess.image import load_image
from webbuild.preprocess.image_stack import stack_tensor
from webbuild.preprocess.mask import find_mask, sample_hole, with_hole
from webbuild.preprocess.picture import picture_to_tensor
from webbuild.preprocess.reference_image import choose_reference_image, reference_image_feeds
from webbuild.preprocess.state_feeds import state_feeds
from webbuild.samples.focal_stack import FocalStack, find_stacks, stacks_from_paths
from webbuild.samples.npz import describe_contents, describe_file_type, load_npz, narrow_int64
from webbuild.samples.photo_with_tensors import input_for_photographs, sample_beside_tensors
from webbuild.samples.random_inputs import NO_RANGES, SAMPLE_IMAGES, Ranges, check_size, random_inputs
from webbuild.samples.sample import Frame, Sample, feeds_beside_image
from webbuild.samples.sample_files import IMAGE_SUFFIXES, expand_folders, pictures_in, require_samples
from webbuild.samples.synthetic_focal_stack import synthetic_focal_stack
from webbuild.tasks.recognition.depth_from_focus import default_focus_distances
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch


def collect_samples(
    model: Path,
    paths: Sequence[Path],
    inputs: Sequence[Input],
    ranges: Ranges = NO_RANGES,
    default_folder: Path = SAMPLE_IMAGES,
) -> list[Sample]:
    """Return the samples of a model: from `paths`, else from `samples/` next to it, else from `default_folder`.

    Random tensors are drawn from their `ranges`. Names are unique: results are stored by sample name.

    Raises:
        WebbuildError: `input-too-large`, `unreadable-image`, `unreadable-tensors`, `sample-not-found`,
            `invalid-sample`, `unreadable-focal-distances`.
    """
    for spec in inputs:
        check_size(spec.name, spec.shape, np.dtype(spec.dtype))
    named: dict[str, Sample] = {}
    for sample in _collect(model, paths, inputs, ranges, default_folder):
        name, count = sample.name, 1
        while name in named:
            count += 1
            name = f"{sample.name} ({count})"
        named[name] = msgspec.structs.replace(sample, name=name)
    return list(named.values())


def _collect(
    model: Path, paths: Sequence[Path], inputs: Sequence[Input], ranges: Ranges, default_folder: Path
) -> list[Sample]:
    stack = next((spec for spec in inputs if isinstance(spec, StackInput)), None)
    if stack is not None:
        stacks = stacks_from_paths(paths) if paths else find_stacks(model.parent / "samples", stack.count)
        return [_sample_from_stack(each, stack, inputs) for each in stacks] or [_synthetic_stack_sample(stack, inputs)]
    image = next((spec for spec in inputs if isinstance(spec, ImageInput | CropInput)), None)
    require_samples(paths)
    files = list(expand_folders(paths))
    if image is not None:
        files = files or pictures_in(model.parent / "samples") or pictures_in(default_folder)
        references = [choose_reference_image(inputs, files, index) for index in range(len(files))]
        return [_sample_from_image(*each, image, inputs, ranges) for each in zip(files, references, strict=True)]
    tensors = [spec for spec in inputs if isinstance(spec, TensorInput)]
    states = state_feeds(inputs)
    if files:
        picture = input_for_photographs(tensors)
        return [
            _sample_from_npz(file, tensors, states)
            if picture is None or file.suffix.lower() not in IMAGE_SUFFIXES
            else sample_beside_tensors(file, picture, tensors, ranges, states)
            for file in files
        ]
    return [
        Sample(name, {**feeds, **states}, redraw=partial(_redraw_tensors, tensors, ranges, index))
        for index, (name, feeds) in enumerate(random_inputs(tensors, ranges))
    ]


def default_sample_folder(match: TaskMatch) -> Path:
    """Return the folder of webbuild's own pictures for the task of a model."""
    return SAMPLE_IMAGES.parent / kind_of(match.task).sample_folder


def _redraw_tensors(
    tensors: Sequence[TensorInput], ranges: Ranges, index: int, attempt: int
) -> dict[str, NDArray[Any]]:
    return random_inputs(tensors, ranges, attempt)[index][1]


def _sample_from_image(
    file: Path, reference: Path | None, image: ImageInput | CropInput, inputs: Sequence[Input], ranges: Ranges
) -> Sample:
    if file.suffix.lower() == ".npz":
        raise WebbuildError(
            "invalid-sample",
            f"{file}: holds tensors, but the model takes pictures: '{image.name}' {image.dtype} {image.shape}",
            "give JPEG, PNG or WebP files, or --task tensor, which takes .npz files",
            exit_code=USAGE,
        )
    if (kind_text := describe_file_type(file)) and not kind_text.endswith("picture"):
        raise WebbuildError(
            "invalid-sample",
            f"{file}: {kind_text}, but the model takes pictures",
            "give JPEG, PNG or WebP files",
            exit_code=USAGE,
        )
    rgba = load_image(file)
    tensor, placement = picture_to_tensor(rgba, image)
    second = reference_image_feeds(inputs, reference)
    feeds = {image.name: tensor, **second, **feeds_beside_image(inputs, placement, ranges=ranges)}
    size = (rgba.shape[1], rgba.shape[0])
    hole = None if find_mask(inputs) is None else sample_hole(*size)
    filled = with_hole(feeds, inputs, placement)
    return Sample(file.name, filled, file, placement, size, hole=hole)


def _sample_from_stack(stack: FocalStack, spec: StackInput, inputs: Sequence[Input]) -> Sample:
    return _sample_from_frames(
        stack.name, [Frame(file.name, file.read_bytes()) for file in stack.files], stack.focus, spec, inputs
    )


def _synthetic_stack_sample(spec: StackInput, inputs: Sequence[Input]) -> Sample:
    frames = [Frame(f"{index}.png", data) for index, data in enumerate(synthetic_focal_stack(spec.count))]
    return _sample_from_frames("synthetic", frames, (), spec, inputs)


def _sample_from_frames(
    name: str, frames: Sequence[Frame], focus: tuple[float, ...], spec: StackInput, inputs: Sequence[Input]
) -> Sample:
    pictures = [load_image(Path(frame.name), frame.data) for frame in frames]
    tensor, placement = stack_tensor(name, pictures, spec)
    feeds = {spec.name: tensor, **feeds_beside_image(inputs, placement, focus)}
    size = (pictures[0].shape[1], pictures[0].shape[0])
    return Sample(name, feeds, None, placement, size, tuple(frames), focus)


def with_focus_distances(inputs: Sequence[Input], samples: Sequence[Sample]) -> tuple[Input, ...]:
    """Return the inputs with the focal distances of the first sample that has some, unless the model has its own."""
    known = next((list(sample.focus) for sample in samples if sample.focus), None)
    return tuple(
        msgspec.structs.replace(spec, default=known)
        if isinstance(spec, FocusInput)
        and known is not None
        and spec.default == default_focus_distances(len(spec.default))
        else spec
        for spec in inputs
    )


def _sample_from_npz(file: Path, inputs: Sequence[TensorInput], states: dict[str, NDArray[Any]]) -> Sample:
    shown = ", ".join(f"'{each.name}' {each.dtype} {each.shape}" for each in inputs)
    if file.suffix.lower() in IMAGE_SUFFIXES:
        raise WebbuildError(
            "invalid-sample",
            f"{file}: no input of the model takes a picture: {shown}",
            "give .npz files written by numpy.savez; if an input is a picture, give --scale 1/255 or --task",
            exit_code=USAGE,
        )
    arrays = load_npz(file, shown)
    for spec in inputs:
        if spec.name in arrays:
            arrays[spec.name] = narrow_int64(arrays[spec.name], spec.dtype)
        got = arrays.get(spec.name)
        if got is None or list(got.shape) != spec.shape or str(got.dtype) != spec.dtype:
            actual = describe_contents(arrays) if got is None else f"{got.dtype} {list(got.shape)}"
            raise WebbuildError(
                "invalid-sample",
                f"{file}: input '{spec.name}' wants {spec.dtype} {spec.shape}, got {actual}",
                f"save an array of that type and shape under the name '{spec.name}'; the model's inputs: {shown}",
                exit_code=USAGE,
            )
    return Sample(file.name, {**{spec.name: arrays[spec.name] for spec in inputs}, **states})
