"""What a model is tried on: pictures or tensors, given, found beside it, or made up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from webbuild.archive import read_arrays
from webbuild.errors import USAGE, WebbuildError
from webbuild.made_up import PICTURES, made_up, random_tensor
from webbuild.manifest import ImageInput, Input, TensorInput
from webbuild.tasks.geometry import Placement
from webbuild.tasks.picture import normalise, plane, read_rgba, to_tensor

_PICTURES = {".jpg", ".jpeg", ".png", ".webp"}
_LARGEST = 2**31 - 1
"""Bytes of the largest tensor that every browser can hold in one buffer."""


class Sample(Struct, frozen=True):
    """One run's feeds. `picture` is the file it came from, `placement` where that lies in the input."""

    name: str
    feeds: dict[str, NDArray[Any]]
    picture: Path | None = None
    placement: Placement | None = None
    size: tuple[int, int] = (0, 0)


def collect(model: Path, given: Sequence[Path], inputs: Sequence[Input]) -> list[Sample]:
    """Return the samples for a model: those given, else those in `samples/` beside it, else webbuild's own.

    Raises:
        WebbuildError: `input-too-large`, `unreadable-picture`, `unreadable-tensors`, `no-such-sample`,
            `wrong-sample`.
    """
    _check_sizes(inputs)
    image = next((spec for spec in inputs if isinstance(spec, ImageInput)), None)
    files = list(given)
    if image is not None:
        files = files or _pictures(model.parent / "samples") or _pictures(PICTURES)
        return [_from_picture(file, image, inputs) for file in files]
    tensors = [spec for spec in inputs if isinstance(spec, TensorInput)]
    if files:
        return [_from_tensors(file, tensors) for file in files]
    return [Sample(name, feeds) for name, feeds in made_up(tensors)]


def edge_cases(inputs: Sequence[Input]) -> list[Sample]:
    """Return samples that take the rare branches: a picture of nothing, and one of noise."""
    image = next((spec for spec in inputs if isinstance(spec, ImageInput)), None)
    if image is None:
        return []
    height, width = plane(image)
    noise = normalise(np.random.default_rng(0).random((height, width, 3)) * 255, image)
    flat = normalise(np.full((height, width, 3), float(image.letterbox.pad)), image)
    rest = {spec.name: random_tensor(spec, 0) for spec in inputs if isinstance(spec, TensorInput)}
    whole = Placement(width, height, 0, 0, width, height, width, height)
    return [
        Sample(name, {image.name: tensor, **rest}, placement=whole)
        for name, tensor in (("(noise)", noise), ("(grey)", flat))
    ]


def _pictures(folder: Path) -> list[Path]:
    return sorted(file for file in folder.glob("*") if file.suffix.lower() in _PICTURES)


def _from_picture(file: Path, image: ImageInput, inputs: Sequence[Input]) -> Sample:
    _exists(file)
    if file.suffix.lower() == ".npz":
        raise WebbuildError(
            "wrong-sample", f"{file}: the model takes pictures", "give JPEG, PNG or WebP files", exit_code=USAGE
        )
    rgba = read_rgba(file)
    tensor, placement = to_tensor(rgba, image)
    rest = {spec.name: random_tensor(spec, 0) for spec in inputs if isinstance(spec, TensorInput)}
    return Sample(file.name, {image.name: tensor, **rest}, file, placement, (rgba.shape[1], rgba.shape[0]))


def _from_tensors(file: Path, inputs: Sequence[TensorInput]) -> Sample:
    _exists(file)
    if file.suffix.lower() in _PICTURES:
        raise WebbuildError(
            "wrong-sample",
            f"{file}: the model was taken for plain tensors, and a picture is none",
            "give .npz files written by numpy.savez, or say how pictures go in: --scale, --mean, --std, --fit",
            exit_code=USAGE,
        )
    arrays = read_arrays(file)
    for spec in inputs:
        got = arrays.get(spec.name)
        if got is None or list(got.shape) != spec.shape or str(got.dtype) != spec.dtype:
            found = "nothing" if got is None else f"{got.dtype} {list(got.shape)}"
            raise WebbuildError(
                "wrong-sample",
                f"{file}: input '{spec.name}' wants {spec.dtype} {spec.shape}, got {found}",
                f"save an array of that type and shape under the name '{spec.name}'",
                exit_code=USAGE,
            )
    return Sample(file.name, {spec.name: arrays[spec.name] for spec in inputs})


def _check_sizes(inputs: Sequence[Input]) -> None:
    for spec in inputs:
        size = math.prod(spec.shape) * np.dtype(spec.dtype).itemsize
        if size > _LARGEST:
            raise WebbuildError(
                "input-too-large",
                f"input '{spec.name}' of shape {spec.shape} takes {size / 2**30:.0f} GiB; a browser gives a tensor 2",
                "export the model with smaller sizes, or give smaller ones with --dim",
            )


def _exists(file: Path) -> None:
    if not file.is_file():
        raise WebbuildError("no-such-sample", f"{file}: no such file", "check the path of --sample", exit_code=USAGE)
