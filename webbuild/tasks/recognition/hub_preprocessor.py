"""The preprocessing in transformers' `preprocessor_config.json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from webbuild.manifest.manifest import Interpolation
from webbuild.tasks.recognition.depth_units import finite_number, read_numbers

IMAGENET_MEAN = [0.485, 0.456, 0.406]
IMAGENET_STD = [0.229, 0.224, 0.225]
_PIL_RESAMPLING: dict[int, Interpolation] = {0: "nearest", 2: "bilinear-antialias", 3: "bicubic"}
"""Interpolations by the values of `PIL.Image.Resampling`."""


class Normalization(Struct, frozen=True):
    """The fields of a picture input that a configuration can set."""

    scale: float
    mean: list[float]
    std: list[float]
    interpolation: Interpolation
    source: str


def read_normalization(config: Mapping[str, Any]) -> Normalization | None:
    """Return the scaling, normalization and interpolation of a configuration, None if it has none."""
    if "image_mean" not in config and "do_rescale" not in config and "do_normalize" not in config:
        return None
    rescaled, normalized = config.get("do_rescale", True), config.get("do_normalize", True)
    factor = finite_number(config.get("rescale_factor")) or 1 / 255
    mean, std = (read_numbers(config, name) if normalized else [] for name in ("image_mean", "image_std"))
    return Normalization(
        scale=factor if rescaled else 1.0,
        mean=mean if len(mean) == 3 else [0.0] * 3,
        std=std if len(std) == 3 and all(std) else [1.0] * 3,
        interpolation=pillow_interpolation(config.get("resample"), "bilinear"),
        source="pictures are stretched, scaled and normalized as preprocessor_config.json says",
    )


def pillow_interpolation(resample: object, default: Interpolation) -> Interpolation:
    """Return the interpolation for a configuration's `resample`, `default` if it is missing.

    Lanczos, box and Hamming become antialiased bilinear, the closest available filter. Pillow's bicubic filter is
    antialiased, unlike `bicubic` here.
    """
    if not isinstance(resample, int):
        return default
    return _PIL_RESAMPLING.get(resample, "bilinear-antialias")
