"""3-D convolutions, split into one for each group."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.workarounds.split_grouped_conv_3d import SplitGroupedConv3D


@given(
    groups=st.integers(2, 4),
    inner=st.integers(1, 2),
    outer=st.integers(1, 3),
    kernel=st.integers(1, 3),
    stride=st.integers(1, 2),
    pad=st.integers(0, 1),
    bias=st.booleans(),
    seed=st.integers(0, 999),
)
def test_they_compute_the_same(
    groups: int, inner: int, outer: int, kernel: int, stride: int, pad: int, bias: bool, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    feeds = {"x": draw.uniform(-1, 1, (1, groups * inner, 3, 4, 3)).astype(np.float32)}
    weights = {"w": draw.uniform(-1, 1, (groups * outer, inner, *[kernel] * 3)).astype(np.float32)}
    if bias:
        weights["b"] = draw.uniform(-1, 1, groups * outer).astype(np.float32)
    node = onnx.helper.make_node("Conv", ["x", *weights], ["y"], group=groups, strides=[stride] * 3, pads=[pad] * 6)
    assert_same(model_of([node], feeds, 17, weights), SplitGroupedConv3D, feeds, 1e-6)
