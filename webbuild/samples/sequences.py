"""Sequences: consecutive samples for models with states."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.manifest.manifest import ImageInput, Input, TensorInput
from webbuild.manifest.states import state_inputs
from webbuild.preprocess.image import encode_png, enlarge, image_to_tensor, load_image
from webbuild.samples.random_inputs import NO_RANGES, Ranges
from webbuild.samples.sample import Sample, feeds_beside_image

STEPS = 32
"""Runs of a sequence: enough to show differences that accumulate from run to run."""

_ZOOM, _PAN = 0.15, 0.08
"""Mean margin around the moving crop, and its range of motion, as fractions of the picture's sides."""


def make_sequence(
    samples: Sequence[Sample], inputs: Sequence[Input], ranges: Ranges = NO_RANGES, folder: Path | None = None
) -> list[Sample]:
    """Return the steps of a sequence for a model with states, [] for other models.

    From a picture: frames of a camera that pans and zooms over it, written to `folder` if given. From tensors: the
    samples in turn, each rolled by some elements.
    """
    if not samples or not state_inputs(inputs):
        return []
    image = next((spec for spec in inputs if isinstance(spec, ImageInput)), None)
    pictured = next((each.image_file for each in samples if each.image_file is not None), None)
    if image is not None and pictured is not None:
        return list(_make_frames(pictured, image, inputs, ranges, folder))
    return [_tensor_step(samples[step % len(samples)], inputs, step) for step in range(STEPS)]


def make_video(file: Path, inputs: Sequence[Input], folder: Path) -> list[Sample]:
    """Return samples with the frames of a camera that pans and zooms over a picture, written to `folder`."""
    image = next(spec for spec in inputs if isinstance(spec, ImageInput))
    return list(_make_frames(file, image, inputs, NO_RANGES, folder))


def _step_name(sequence: str, step: int) -> str:
    """Return the name of a step, numbered from 1."""
    return f"{sequence}, step {step + 1}"


def _make_frames(
    file: Path, image: ImageInput, inputs: Sequence[Input], ranges: Ranges, folder: Path | None
) -> Iterator[Sample]:
    picture, sequence = load_image(file), f"{STEPS} frames of {file.name}"
    frames = None if folder is None else Path(mkdtemp(dir=folder))  # a model may have two videos
    for step in range(STEPS):
        frame = _frame(picture, step)
        tensor, placement = image_to_tensor(frame, image)
        feeds = {image.name: tensor, **feeds_beside_image(inputs, placement, ranges=ranges)}
        yield Sample(
            _step_name(sequence, step),
            feeds,
            None if frames is None else _write_frame(frame, frames / f"frame-{step + 1}.png"),
            placement,
            size=(frame.shape[1], frame.shape[0]),
            sequence=sequence,
            continues=step > 0,
        )


def _write_frame(frame: NDArray[np.uint8], file: Path) -> Path:
    file.write_bytes(encode_png(frame, small=False))
    return file


def _frame(picture: NDArray[np.uint8], step: int) -> NDArray[np.uint8]:
    """Return the part of a picture [h, w, 4] that a camera sees, resized to the picture's size.

    All frames have one size, because the runtime resets the states to zeros when the size changes.
    """
    height, width = picture.shape[:2]
    turn = 2 * math.pi * step / STEPS
    margin = _ZOOM + _PAN * math.cos(turn) / 2
    rows, columns = (size * (1 - 2 * margin) for size in (height, width))
    top = min(max(0.0, height * (margin + _PAN * math.sin(turn))), height - rows)
    left = min(max(0.0, width * (margin + _PAN * math.sin(2 * turn))), width - columns)
    return enlarge(picture, (left, top, left + columns, top + rows))


def _tensor_step(sample: Sample, inputs: Sequence[Input], step: int) -> Sample:
    """Return a sample with its float tensors rolled. Integers stay, since they may be indices."""
    moving = {spec.name for spec in inputs if isinstance(spec, TensorInput) and spec.dtype == "float32"}
    feeds: dict[str, NDArray[Any]] = {
        name: np.roll(array, 7 * step) if name in moving else array for name, array in sample.feeds.items()
    }
    sequence = f"{STEPS} steps of tensors"
    return msgspec.structs.replace(
        sample, name=_step_name(sequence, step), feeds=feeds, redraw=None, sequence=sequence, continues=step > 0
    )
