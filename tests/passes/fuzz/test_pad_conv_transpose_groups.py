"""A second output channel of zeros for each group does not change the first ones."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.workarounds.pad_conv_transpose_groups import PadConvTransposeGroups, is_affected


@given(
    group=st.integers(2, 4),
    inner=st.sampled_from((2, 4, 6)),
    kernel=st.lists(st.integers(1, 3), min_size=1, max_size=2),
    stride=st.integers(1, 2),
    pad=st.integers(0, 1),
    bias=st.booleans(),
    fixed=st.booleans(),
    opset=st.sampled_from((10, 11, 17, 21)),
    seed=st.integers(0, 999),
)
def test_zeros_beside_an_output_change_nothing(
    group: int, inner: int, kernel: list[int], stride: int, pad: int, bias: bool, fixed: bool, opset: int, seed: int
) -> None:
    assume(is_affected([group * inner, 1, *kernel], group) and min(kernel) > 2 * pad - 1)
    draw, rank = np.random.default_rng(seed), len(kernel)
    x = draw.uniform(-1, 1, (2, group * inner, *([4] * rank))).astype(np.float32)
    w = draw.uniform(-1, 1, (group * inner, 1, *kernel)).astype(np.float32)
    b = draw.uniform(-1, 1, group).astype(np.float32)
    held = ({"b": b} if bias else {}) | ({"w": w} if fixed else {})
    feeds = {"x": x} if fixed else {"x": x, "w": w}
    node = onnx.helper.make_node(
        "ConvTranspose",
        ["x", "w", "b"] if bias else ["x", "w"],
        ["y"],
        group=group,
        strides=[stride] * rank,
        pads=[pad] * 2 * rank,
    )
    assert_same(model_of([node], feeds, opset, held), PadConvTransposeGroups, feeds, 1e-6)
