"""Focal stacks: turn pictures of one size and their focal distances into tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import FocusInput, ImageInput, StackInput
from webbuild.preprocess.image import image_to_tensor
from webbuild.preprocess.letterbox import ImagePlacement


def stack_image_spec(spec: StackInput) -> ImageInput:
    """Return the image input that preprocesses one picture of a stack."""
    return ImageInput(
        name=spec.name,
        shape=[1, *spec.shape[-3:]],
        color=spec.color,
        scale=spec.scale,
        mean=spec.mean,
        std=spec.std,
        letterbox=spec.letterbox,
    )


def stack_tensor(
    name: str, pictures: Sequence[NDArray[np.uint8]], spec: StackInput
) -> tuple[NDArray[np.float32], ImagePlacement]:
    """Turn pictures [h, w, 4], all of one size, into the input `spec` describes.

    Returns:
        The tensor in the spec's shape, and the placement that all pictures share.

    Raises:
        WebbuildError: `invalid-sample` if the number of pictures is not the stack's, or if their sizes differ. The
            message starts with `name`.
    """
    sizes = sorted({(rgba.shape[1], rgba.shape[0]) for rgba in pictures})
    if len(pictures) != spec.count or len(sizes) > 1:
        actual = f"{len(pictures)} picture(s)" + ("" if len(sizes) < 2 else f", of {_describe_sizes(sizes)} pixels")
        raise WebbuildError(
            "invalid-sample",
            f"{name}: {actual}; input '{spec.name}' takes a stack of {spec.count} of one size",
            f"give {spec.count} pictures of one scene, or a folder that holds them",
            exit_code=USAGE,
        )
    tensors = [image_to_tensor(rgba, stack_image_spec(spec)) for rgba in pictures]
    tensor = np.concatenate([tensor for tensor, _ in tensors]).reshape(spec.shape)
    return tensor, tensors[0][1]


def focus_tensor(spec: FocusInput, distances: Sequence[float]) -> NDArray[np.float32]:
    """Return the focal distances of a stack as a tensor; the input's default if there are none.

    Raises:
        WebbuildError: `invalid-sample` if there is not one distance for each picture.
    """
    values: Sequence[Any] = distances or spec.default
    if len(values) != len(spec.default):
        raise WebbuildError(
            "invalid-sample",
            f"input '{spec.name}' takes {len(spec.default)} focal distances, the sample has {len(values)}",
            "give one for each picture, in their order",
            exit_code=USAGE,
        )
    return np.array(values, np.float32).reshape(spec.shape)


def _describe_sizes(sizes: Sequence[tuple[int, int]]) -> str:
    return " and ".join(f"{width} x {height}" for width, height in sizes[:3])
