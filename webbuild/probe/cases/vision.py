"""Image sampling and boxes: GridSample, RoiAlign, NonMaxSuppression, DeformConv."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Initializer, Probe, int64s, make_probe
from webbuild.probe.random_data import RandomData


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for mode, padding, align in product(("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection"), (0, 1)):
        inputs = draw.floats(2, 3, 6, 7), draw.uniform(-1.5, 1.5, 2, 4, 5, 2)
        form: dict[str, Any] = {"mode": mode, "padding_mode": padding, "align_corners": align}
        yield make_probe(f"GridSample {mode} {padding}{' align_corners' * align}", *inputs, **form)
    inside = draw.floats(1, 3, 6, 7), draw.uniform(-1, 1, 1, 4, 5, 2)
    for opset, mode in ((16, "bilinear"), (20, "linear"), (20, "cubic"), (20, "nearest"), (22, "linear")):
        yield make_probe(f"GridSample opset {opset} {mode}", *inside, opset=opset, mode=mode)
    solid = draw.floats(1, 3, 4, 5, 6), draw.uniform(-1, 1, 1, 2, 3, 4, 3)
    for mode in ("linear", "nearest"):
        yield make_probe(f"GridSample 3-D {mode}", *solid, opset=20, mode=mode)
    for channels in (1, 4, 5):
        inputs = draw.floats(1, channels, 6, 7), draw.uniform(-1, 1, 1, 4, 5, 2)
        yield make_probe(f"GridSample {channels} channels", *inputs)
    yield make_probe("GridSample deformable attention", draw.floats(4, 8, 10, 10), draw.uniform(-1.2, 1.2, 4, 50, 4, 2))
    far = draw.floats(1, 2, 4, 4), np.array([[[[np.inf, 0], [np.nan, 0], [1e30, -1e30]]]], np.float32)
    yield make_probe("GridSample far away", *far)
    theta = draw.floats(1, 2, 3), int64s(1, 4, 5, 6)
    for align in (0, 1):
        yield make_probe(f"AffineGrid align_corners {align}", *theta, opset=20, align_corners=align)
    yield from _boxes(draw)
    yield from _deformed(draw)


def _boxes(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(1, 3, 8, 8)
    boxes = x, np.array([[0, 0, 5, 5], [1, 1, 7, 7]], np.float32), np.array([0, 0])
    for mode in ("avg", "max"):
        for transform in ("half_pixel", "output_half_pixel"):
            form: dict[str, Any] = {
                "output_height": 3,
                "output_width": 3,
                "mode": mode,
                "coordinate_transformation_mode": transform,
            }
            yield make_probe(f"RoiAlign {mode} {transform}", *boxes, opset=16, sampling_ratio=2, **form)
    yield make_probe("RoiAlign adaptive", *boxes, opset=16, output_height=3, output_width=3)
    yield make_probe("RoiAlign opset 10", *boxes, opset=10, output_height=3, output_width=3)
    yield make_probe("MaxRoiPool", x, np.array([[0, 0, 0, 5, 5]], np.float32), pooled_shape=[2, 2])
    corner = draw.positive(1, 20, 2)
    inputs = np.concatenate([corner, corner + 1], 2), draw.positive(1, 1, 20) - 0.5
    limits = int64s(5), Initializer(np.array([0.5], np.float32)), Initializer(np.array([0.1], np.float32))
    yield make_probe("NonMaxSuppression", *inputs, *limits)
    yield make_probe("NonMaxSuppression by centre", *inputs, *limits, center_point_box=1)
    unpooled = draw.floats(1, 1, 2, 2), np.array([[[[0, 3], [8, 15]]]])
    yield make_probe("MaxUnpool", *unpooled, kernel_shape=[2, 2], strides=[2, 2])


def _deformed(draw: RandomData) -> Iterator[Probe]:
    x, w, offsets = draw.floats(1, 4, 8, 8), Initializer(draw.floats(6, 4, 3, 3)), draw.floats(1, 18, 6, 6)
    yield make_probe("DeformConv", x, w, offsets, opset=19)
    yield make_probe("DeformConv mask", x, w, offsets, Initializer(draw.floats(6)), draw.positive(1, 9, 6, 6), opset=19)
    yield make_probe("DeformConv opset 22", x, w, offsets, opset=22)
