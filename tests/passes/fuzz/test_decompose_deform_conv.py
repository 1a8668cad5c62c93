"""A DeformConv as GridSample and Conv."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.decompose_deform_conv import DecomposeDeformConv


@given(
    batch=st.integers(1, 2),
    groups=st.integers(1, 2),
    offset_groups=st.integers(1, 2),
    size=st.tuples(st.integers(3, 7), st.integers(3, 7)),
    kernel=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    stride=st.integers(1, 2),
    dilation=st.integers(1, 2),
    pads=st.lists(st.integers(0, 2), min_size=4, max_size=4),
    extras=st.integers(0, 2),
    seed=st.integers(0, 999),
)
def test_they_compute_the_same(
    batch: int,
    groups: int,
    offset_groups: int,
    size: tuple[int, int],
    kernel: tuple[int, int],
    stride: int,
    dilation: int,
    pads: list[int],
    extras: int,
    seed: int,
) -> None:
    rows, columns = (
        (size[axis] + pads[axis] + pads[axis + 2] - dilation * (kernel[axis] - 1) - 1) // stride + 1 for axis in (0, 1)
    )
    assume(rows > 0 and columns > 0)
    draw, taps = np.random.default_rng(seed), kernel[0] * kernel[1]
    feeds = {
        "x": draw.uniform(-1, 1, (batch, 4, *size)).astype(np.float32),
        "offset": draw.uniform(-2, 2, (batch, offset_groups * taps * 2, rows, columns)).astype(np.float32),
    }
    weights = {"w": draw.uniform(-1, 1, (2, 4 // groups, *kernel)).astype(np.float32)}
    names = ["x", "w", "offset"]
    if extras > 0:
        weights["b"] = draw.uniform(-1, 1, 2).astype(np.float32)
        names.append("b")
    if extras > 1:
        feeds["mask"] = draw.uniform(0, 1, (batch, offset_groups * taps, rows, columns)).astype(np.float32)
        names.append("mask")
    node = onnx.helper.make_node(
        "DeformConv",
        names,
        ["y"],
        kernel_shape=kernel,
        strides=[stride, stride],
        dilations=[dilation, dilation],
        pads=pads,
        group=groups,
        offset_group=offset_groups,
    )
    assert_same(model_of([node], feeds, 19, weights), DecomposeDeformConv, feeds, 2e-5)
