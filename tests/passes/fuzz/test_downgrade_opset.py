"""An older opset computes the same, for every operator whose kernel exists only there."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.opset.downgrade_opset import DowngradeOpset

ACTIVATIONS = (
    "Sin",
    "Cos",
    "Tan",
    "Atan",
    "Sinh",
    "Cosh",
    "Asinh",
    "Elu",
    "HardSigmoid",
    "HardSwish",
    "ThresholdedRelu",
)


@given(st.sampled_from(ACTIVATIONS), st.integers(22, 25), st.integers(0, 999))
def test_an_activation_computes_the_same(op: str, opset: int, seed: int) -> None:
    x = np.random.default_rng(seed).uniform(-2, 2, (2, 3)).astype(np.float32)
    assert_same(model_of([onnx.helper.make_node(op, ["x"], ["y"])], {"x": x}, opset), DowngradeOpset, {"x": x})


@given(
    size=st.integers(3, 9),
    kernel=st.integers(1, 3),
    stride=st.integers(1, 3),
    dilation=st.integers(1, 2),
    pads=st.lists(st.integers(0, 1), min_size=4, max_size=4),
    ceil=st.booleans(),
    opset=st.integers(22, 25),
)
def test_a_pool_computes_the_same(
    size: int, kernel: int, stride: int, dilation: int, pads: list[int], ceil: bool, opset: int
) -> None:
    assume(size >= dilation * (kernel - 1) + 1 and max(pads) < kernel)
    spans = [size + pads[axis] + pads[axis + 2] - dilation * (kernel - 1) - 1 for axis in (0, 1)]
    assume(not ceil or all(-(-span // stride) * stride < size + pads[axis] for axis, span in enumerate(spans)))
    x = np.random.default_rng(size).uniform(-2, 2, (1, 2, size, size)).astype(np.float32)
    node = onnx.helper.make_node(
        "MaxPool",
        ["x"],
        ["y"],
        kernel_shape=[kernel, kernel],
        strides=[stride, stride],
        dilations=[dilation, dilation],
        pads=pads,
        ceil_mode=int(ceil),
    )
    assert_same(model_of([node], {"x": x}, opset), DowngradeOpset, {"x": x})


@given(
    mode=st.sampled_from(("linear", "cubic", "nearest", None)),
    padding=st.sampled_from(("zeros", "border", "reflection")),
    align=st.booleans(),
    opset=st.integers(20, 25),
    seed=st.integers(0, 999),
)
def test_a_sampled_picture_computes_the_same(
    mode: str | None, padding: str, align: bool, opset: int, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    feeds = {
        "x": draw.uniform(-1, 1, (1, 2, 5, 4)).astype(np.float32),
        "grid": draw.uniform(-1.4, 1.4, (1, 3, 3, 2)).astype(np.float32),
    }
    named = {} if mode is None else {"mode": mode}
    node = onnx.helper.make_node(
        "GridSample", ["g", "grid"], ["y"], padding_mode=padding, align_corners=int(align), **named
    )
    gelu = onnx.helper.make_node("Gelu", ["x"], ["g"])
    assert_same(model_of([gelu, node], feeds, opset), DowngradeOpset, feeds, 1e-6)
