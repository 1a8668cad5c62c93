"""Preprocessing of DETR-like detectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from webbuild.manifest.manifest import ImageInput, Letterbox
from webbuild.tasks.recognition.hub_preprocessor import IMAGENET_MEAN, IMAGENET_STD, pillow_interpolation

_IMAGENET_MEAN_STD = IMAGENET_MEAN, IMAGENET_STD


def detr_image_input(
    image: ImageInput, preprocessor: Mapping[str, Any], *, normalized: bool
) -> tuple[ImageInput, tuple[str, ...]]:
    """Return the input with its preprocessing, and the assumptions about it.

    Args:
        image: the input.
        preprocessor: the contents of `preprocessor_config.json`, empty if there is none.
        normalized: without `preprocessor_config.json`, whether to normalize with ImageNet's mean and std.
    """
    interpolation = pillow_interpolation(preprocessor.get("resample"), "bilinear-antialias")
    fitted = Letterbox(mode="stretch", interpolation=interpolation)
    if not preprocessor:
        how = "normalized by ImageNet's mean and deviation" if normalized else "not normalized"
        assumption = f"pictures are stretched to the input, RGB, scaled to 0..1, {how}, unless an option says otherwise"
        mean, std = _IMAGENET_MEAN_STD if normalized else (image.mean, image.std)
        return msgspec.structs.replace(image, letterbox=fitted, mean=mean, std=std), (assumption,)
    scale = float(preprocessor.get("rescale_factor", 1 / 255)) if preprocessor.get("do_rescale", True) else 1.0
    mean, std = image.mean, image.std
    if preprocessor.get("do_normalize", False):
        mean, std = (
            _three_numbers(preprocessor.get(name), default)
            for name, default in zip(("image_mean", "image_std"), _IMAGENET_MEAN_STD, strict=True)
        )
    picture = msgspec.structs.replace(image, scale=scale, mean=mean, std=std, letterbox=fitted)
    return picture, (
        "pictures are scaled and normalized as preprocessor_config.json says",
        _describe_resize(preprocessor.get("size")),
    )


def _three_numbers(configured: object, default: list[float]) -> list[float]:
    match configured:
        case [int() | float(), int() | float(), int() | float()]:
            return [float(value) for value in configured]
    return default


def _describe_resize(size: object) -> str:
    if isinstance(size, Mapping) and "shortest_edge" in size:
        return "pictures are stretched to the input; the model was trained on pictures that keep their aspect ratio"
    return "pictures are stretched to the input"
