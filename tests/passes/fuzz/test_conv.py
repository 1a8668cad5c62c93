"""Convolutions rewritten for their channels or groups compute the same, for any shape."""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.workarounds import pad_conv_channels, split_grouped_conv
from webbuild.passes.workarounds.pad_conv_channels import PadConvChannels
from webbuild.passes.workarounds.split_grouped_conv import SplitGroupedConv

SIZES = st.lists(st.integers(1, 3), min_size=1, max_size=2)


@given(
    inputs=st.sampled_from((6, 9, 15, 18, 21, 27)),
    outputs=st.sampled_from((4, 8, 12)),
    kernel=SIZES,
    stride=st.integers(1, 2),
    pad=st.integers(0, 1),
    fixed=st.booleans(),
    opset=st.sampled_from((9, 11, 17, 22)),
    seed=st.integers(0, 999),
)
def test_zeros_behind_the_channels_add_nothing(
    inputs: int, outputs: int, kernel: list[int], stride: int, pad: int, fixed: bool, opset: int, seed: int
) -> None:
    draw, rank = np.random.default_rng(seed), len(kernel)
    x = draw.uniform(-1, 1, (2, inputs, *([5] * rank))).astype(np.float32)
    w = draw.uniform(-1, 1, (outputs, inputs, *kernel)).astype(np.float32)
    node = onnx.helper.make_node("Conv", ["x", "w"], ["y"], strides=[stride] * rank, pads=[pad] * 2 * rank)
    assume(pad_conv_channels.is_affected([outputs, inputs, *kernel], ir.from_proto(node)))
    feeds = {"x": x} if fixed else {"x": x, "w": w}
    assert_same(model_of([node], feeds, opset, {"w": w} if fixed else {}), PadConvChannels, feeds, 1e-6)


@given(
    group=st.integers(2, 8),
    inner=st.integers(1, 4),
    outer=st.integers(4, 15),
    kernel=SIZES,
    dilation=st.integers(1, 2),
    bias=st.booleans(),
    opset=st.sampled_from((9, 11, 17, 22)),
    seed=st.integers(0, 999),
)
def test_two_parts_compute_what_all_groups_do(
    group: int, inner: int, outer: int, kernel: list[int], dilation: int, bias: bool, opset: int, seed: int
) -> None:
    assume(split_grouped_conv.is_affected([group * outer, inner, *kernel], group))
    draw, rank = np.random.default_rng(seed), len(kernel)
    x = draw.uniform(-1, 1, (1, group * inner, *([6] * rank))).astype(np.float32)
    held = {"w": draw.uniform(-1, 1, (group * outer, inner, *kernel)), "b": draw.uniform(-1, 1, group * outer)}
    held = {name: array.astype(np.float32) for name, array in held.items() if bias or name == "w"}
    node = onnx.helper.make_node("Conv", ["x", *held], ["y"], group=group, dilations=[dilation] * rank)
    assert_same(model_of([node], {"x": x}, opset, held), SplitGroupedConv, {"x": x}, 1e-6)
    for parts in ((group - 1) * outer, outer):
        assert not split_grouped_conv.is_affected([parts, inner, *kernel], parts // outer)
