"""Random tensors for inputs of unknown meaning, at several scales, since the right scale is unknown.

A detector trained on 0..255 returns zeros for inputs of 0..1, and equal zeros prove nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import TensorInput
from webbuild.model.signature import TensorSpec
from webbuild.passes.analysis.input_ranges import InputRange
from webbuild.preprocess.image import image_to_tensor, load_image
from webbuild.preprocess.picture_shape import picture_of_shape

SAMPLE_IMAGES = Path(__file__).parent / "pictures"
"""webbuild's own pictures."""

_MAX_INPUT_BYTES = 2**31 - 1
"""Bytes of the largest tensor that every browser can hold in one buffer."""

Feeds = dict[str, NDArray[Any]]
Ranges = Mapping[str, InputRange]
NO_RANGES: Ranges = {}

_SHRINK_STEPS = tuple((target, part) for part in (0.5, 0.1, 0.0) for target in (1, 0))
"""Changes to random values on which a model fails: (target, fraction of the distance to it that is left)."""


def random_inputs(
    inputs: Sequence[TensorInput], ranges: Ranges = NO_RANGES, attempt: int = 0
) -> list[tuple[str, Feeds]]:
    """Return names and feeds: uniform in 0..1, normal around 0, and a picture of 0..255 if an input has its shape.

    Inputs with a range are uniform in it. Another `attempt` draws other values; the picture stays.
    """
    seed = 3 * attempt
    return [
        ("random in 0..1", {spec.name: random_tensor(spec, seed, ranges) for spec in inputs}),
        ("random around 0", {spec.name: normal_tensor(spec, seed + 1, ranges) for spec in inputs}),
        ("picture of 0..255", {spec.name: _image_tensor(spec, ranges) for spec in inputs})
        if any(picture_of_shape(spec) for spec in inputs)
        else ("random around 0 again", {spec.name: normal_tensor(spec, seed + 2, ranges) for spec in inputs}),
    ]


def shrunk_feeds(feeds: Feeds) -> Iterator[tuple[str, Feeds]]:
    """Yield (note, feeds) with values ever closer to 1 and to 0, for a model that fails on `feeds`."""
    for target, part in _SHRINK_STEPS:
        note = f"drawn {1 - part:.0%} of the way to {target}" if part else f"all {target}"
        yield note, {name: _move_towards(array, target, part) for name, array in feeds.items()}


def feeds_of_each_value(file: str, inputs: Sequence[TensorSpec], ranges: Ranges) -> list[Feeds]:
    """Return `random_feeds` for each value of an input with listed values, once without such an input."""
    counts = [len(each.values) for each in ranges.values()]
    return [random_feeds(file, inputs, ranges, at) for at in range(max([1, *counts]))]


def random_feeds(file: str, inputs: Sequence[TensorSpec], ranges: Ranges = NO_RANGES, seed: int = 0) -> Feeds:
    """Return random feeds for every input: floats in 0..1, integers and booleans 0 or 1; or in the input's range.

    Raises:
        WebbuildError: `cannot-generate-input` for an input that is no tensor of numbers; `input-too-large`.
    """
    feeds: Feeds = {}
    for spec in inputs:
        sizes = [size if isinstance(size, int) else 1 for size in spec.shape]
        try:
            kind = np.dtype(spec.dtype)
        except TypeError:
            kind = np.dtype(object)
        if kind.kind not in "fiub":
            raise WebbuildError(
                "cannot-generate-input",
                f"{file}: input '{spec.name}' is {spec.dtype}; only tensors of numbers can be generated",
                "leave out the option that runs the model, such as --measure",
                exit_code=USAGE,
            )
        check_size(spec.name, sizes, kind)
        if spec.name in ranges:
            feeds[spec.name] = _in_range(sizes, kind, ranges[spec.name], seed)
            continue
        generator = np.random.default_rng(0)  # one per input, as in the first feeds of `random_inputs`
        drawn = generator.random(sizes, np.float32) if kind.kind == "f" else generator.integers(0, 2, sizes)
        feeds[spec.name] = drawn.astype(kind)
    return feeds


def check_size(name: str, shape: Sequence[int], kind: np.dtype[Any]) -> None:
    """Raise for an input that no browser can hold.

    Raises:
        WebbuildError: `input-too-large`.
    """
    size = math.prod(shape) * kind.itemsize
    if size > _MAX_INPUT_BYTES:
        raise WebbuildError(
            "input-too-large",
            f"input '{name}' of shape {list(shape)} takes {size / 2**30:.0f} GiB; a browser allows 2",
            "export the model with smaller sizes, or give smaller ones with --dim",
        )


def random_tensor(spec: TensorInput, seed: int, ranges: Ranges = NO_RANGES) -> NDArray[Any]:
    """Return random values for an input: from its range, else floats in 0..1 and integers 0 or 1."""
    if spec.name in ranges:
        return _in_range(spec.shape, spec.dtype, ranges[spec.name], seed)
    generator = np.random.default_rng(seed)
    if spec.dtype == "float32":
        return generator.random(spec.shape, np.float32)
    return generator.integers(0, 2, spec.shape).astype(spec.dtype)


def normal_tensor(spec: TensorInput, seed: int, ranges: Ranges = NO_RANGES) -> NDArray[Any]:
    """Return normal values of variance 1 for a float input without a range, else the values of `random_tensor`."""
    if spec.dtype == "float32" and spec.name not in ranges:
        return np.random.default_rng(seed).standard_normal(spec.shape, np.float32)
    return random_tensor(spec, seed, ranges)


def _in_range(shape: Sequence[int], dtype: Any, bounds: InputRange, seed: int) -> NDArray[Any]:
    generator, kind = np.random.default_rng(seed), np.dtype(dtype)
    if bounds.values:
        return np.full(shape, bounds.values[seed % len(bounds.values)]).astype(kind)
    if kind.kind == "f":
        drawn = generator.uniform(bounds.low, bounds.high, shape).astype(kind)
        drawn.reshape(-1)[list(bounds.zeros)] = 0
        return drawn
    return generator.integers(int(bounds.low), int(bounds.high), shape, endpoint=True).astype(kind)


def _move_towards(array: NDArray[Any], target: int, part: float) -> NDArray[Any]:
    moved = target + (array.astype(np.float64) - target) * part
    return (moved if array.dtype.kind == "f" else np.trunc(moved)).astype(array.dtype)


def _image_tensor(spec: TensorInput, ranges: Ranges) -> NDArray[Any]:
    image = picture_of_shape(spec)
    if image is None or spec.name in ranges:
        return random_tensor(spec, 0, ranges)
    plain = msgspec.structs.replace(image, scale=1.0)
    return image_to_tensor(load_image(max(SAMPLE_IMAGES.glob("*.jpg"))), plain)[0]
