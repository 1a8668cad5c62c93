"""Resize: modes, coordinates, direction, axes, and policies."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Initializer, Probe, int64s, make_probe
from webbuild.probe.random_data import RandomData

_resize = partial(make_probe, op="Resize")
_MODES = ("nearest", "linear", "cubic")
_COORDINATES = (
    "half_pixel",
    "align_corners",
    "asymmetric",
    "pytorch_half_pixel",
    "tf_crop_and_resize",
    "half_pixel_symmetric",
)
_FACTORS = {"up 2": 2.0, "down 2": 0.5, "up 1.7": 1.7, "down 3": 1 / 3}
_ROUNDINGS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for mode in _MODES:
        for coordinates in _COORDINATES:
            roi = Initializer(np.array([0, 0, 0.1, 0.1, 1, 1, 0.9, 0.9], np.float32))
            for what, factor in _FACTORS.items():
                yield _resize(
                    f"{mode} {coordinates} {what}",
                    draw.floats(1, 2, 6, 6),
                    roi if coordinates == "tf_crop_and_resize" else None,
                    _scales(1, 1, factor, factor),
                    opset=19,
                    mode=mode,
                    coordinate_transformation_mode=coordinates,
                )
        yield from _axes(draw, mode)
    yield from _rounding(draw)
    yield from _policies(draw)


def _axes(draw: RandomData, mode: str) -> Iterator[Probe]:
    x = draw.floats(1, 4, 4, 3)
    yield _resize(f"{mode} rank 2", draw.floats(4, 4), None, _scales(2, 2), mode=mode)
    yield _resize(f"{mode} rank 3", draw.floats(1, 2, 6), None, _scales(1, 1, 2), mode=mode)
    yield _resize(f"{mode} rank 3, two axes", draw.floats(2, 4, 6), None, _scales(1, 2, 2), mode=mode)
    yield _resize(f"{mode} rank 5", draw.floats(1, 2, 4, 4, 4), None, _scales(1, 1, 2, 2, 2), mode=mode)
    yield _resize(f"{mode} channel last", x, None, _scales(1, 2, 2, 1), mode=mode)
    yield _resize(f"{mode} channel last, uneven", x, None, _scales(1, 2, 3, 1), mode=mode)
    yield _resize(f"{mode} channels too", x, None, _scales(1, 2, 2, 2), mode=mode)
    yield _resize(f"{mode} the batch", x, None, _scales(2, 1, 1, 1), mode=mode)
    yield _resize(f"{mode} nothing", x, None, _scales(1, 1, 1, 1), mode=mode)
    yield _resize(f"{mode} width alone", x, None, _scales(1, 1, 1, 2), mode=mode)
    yield _resize(f"{mode} height alone", x, None, _scales(1, 1, 2, 1), mode=mode)
    yield _resize(f"{mode} axes named", x, None, None, int64s(8, 6), opset=18, mode=mode, axes=[2, 3])
    yield _resize(f"{mode} sizes fed", x, None, None, np.array([1, 4, 8, 6]), mode=mode)
    yield _resize(f"{mode} scales fed", x, None, np.array([1, 1, 2, 2], np.float32), mode=mode)
    yield _resize(f"{mode} opset 11", x, Initializer(np.zeros(0, np.float32)), _scales(1, 1, 2, 2), opset=11, mode=mode)
    yield _resize(f"{mode} to one", x, None, None, int64s(1, 4, 1, 1), mode=mode)
    corners: dict[str, Any] = {"mode": mode, "coordinate_transformation_mode": "align_corners"}
    yield _resize(f"{mode} align_corners to one", x, None, None, int64s(1, 4, 1, 1), **corners)


def _rounding(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(1, 2, 6, 6)
    for rounding in _ROUNDINGS:
        for coordinates in ("half_pixel", "asymmetric", "align_corners"):
            for size in (9, 15, 3):
                yield _resize(
                    f"nearest {rounding} {coordinates} to {size}",
                    x,
                    None,
                    None,
                    int64s(1, 2, size, size),
                    mode="nearest",
                    nearest_mode=rounding,
                    coordinate_transformation_mode=coordinates,
                )


def _policies(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(1, 2, 8, 8)
    for mode in ("linear", "cubic"):
        for what, size in (("down", 4), ("up", 16), ("down 3", 3)):
            inputs = x, None, None, int64s(1, 2, size, size)
            yield _resize(f"{mode} antialias {what}", *inputs, opset=18, mode=mode, antialias=1)
            yield _resize(f"{mode} exclude_outside {what}", *inputs, mode=mode, exclude_outside=1)
    yield _resize("cubic cubic_coeff_a", x, None, None, int64s(1, 2, 16, 16), mode="cubic", cubic_coeff_a=-0.5)
    for policy in ("not_larger", "not_smaller"):
        inputs = draw.floats(1, 2, 4, 6), None, None, int64s(8, 8)
        attributes: dict[str, Any] = {"axes": [2, 3], "keep_aspect_ratio_policy": policy}
        yield _resize(f"linear {policy}", *inputs, opset=18, mode="linear", **attributes)
    yield from _antialiased(draw)
    for kind in (np.int32, np.uint8, np.int8):
        pixels = draw.ints(1, 2, 4, 4, high=100, dtype=kind), None, _scales(1, 1, 2, 2)
        yield _resize(f"nearest {np.dtype(kind).name}", *pixels, mode="nearest")
    for mode in ("nearest", "linear"):
        yield make_probe(f"Upsample {mode}", x, _scales(1, 1, 2, 2), opset=9, mode=mode)


def _antialiased(draw: RandomData) -> Iterator[Probe]:
    for mode in ("linear", "cubic"):
        for coordinates in _COORDINATES:
            if coordinates in ("half_pixel", "tf_crop_and_resize"):
                continue
            form: dict[str, Any] = {"mode": mode, "coordinate_transformation_mode": coordinates, "antialias": 1}
            for what, factor in (("up 2", 2.0), ("down 2", 0.5)):
                inputs = draw.floats(1, 2, 8, 8), None, _scales(1, 1, factor, factor)
                yield _resize(f"{mode} antialias {coordinates} {what}", *inputs, opset=19, **form)
        outside = draw.floats(1, 2, 6, 6), Initializer(np.array([0, 0, -0.5, -0.5, 1, 1, 1.5, 1.5], np.float32))
        form = {"mode": mode, "coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 7.0}
        yield _resize(f"{mode} extrapolated", *outside, _scales(1, 1, 2, 2), **form)


def _scales(*values: float) -> Initializer:
    return Initializer(np.array(values, np.float32))
