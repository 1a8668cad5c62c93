"""A Conv whose input exceeds a device's largest buffer."""

from __future__ import annotations

import msgspec
import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.base import PassOptions, Rewrite
from webbuild.passes.limits.split_conv_input import SplitConvInput

node = onnx.helper.make_node


def on_devices_that_bind(least: int) -> type[SplitConvInput]:
    """Return the pass, for devices with a tiny largest buffer."""

    class Small(SplitConvInput):
        def apply(self, model: onnx.ModelProto, options: PassOptions) -> list[Rewrite]:  # type: ignore[override]
            return super().apply(model, msgspec.structs.replace(options, max_binding_size=least))  # type: ignore[arg-type]

    return Small


@given(
    widths=st.lists(st.integers(1, 4), min_size=2, max_size=5),
    kernel=st.integers(1, 3),
    stride=st.integers(1, 2),
    dilation=st.integers(1, 2),
    pad=st.integers(0, 2),
    has_bias=st.booleans(),
    batch=st.integers(1, 2),
    seed=st.integers(0, 999),
)
def test_a_concat(
    widths: list[int], kernel: int, stride: int, dilation: int, pad: int, has_bias: bool, batch: int, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    names = [f"x{index}" for index in range(len(widths))]
    feeds = {
        name: draw.uniform(-1, 1, (batch, width, 6, 7)).astype(np.float32)
        for name, width in zip(names, widths, strict=True)
    }
    weights = {"w": draw.uniform(-1, 1, (3, sum(widths), kernel, kernel)).astype(np.float32)}
    if has_bias:
        weights["b"] = draw.uniform(-1, 1, 3).astype(np.float32)
    conv = node("Conv", ["all", *weights], ["y"], strides=[stride] * 2, dilations=[dilation] * 2, pads=[pad] * 4)
    nodes = [node("Concat", names, ["all"], axis=1), conv]
    assert_same(model_of(nodes, feeds, 17, weights), on_devices_that_bind(8), feeds, 1e-5)


@given(
    channels=st.tuples(st.integers(1, 4), st.integers(2, 9), st.integers(1, 3)),
    kernels=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    parts=st.integers(2, 9),
    biases=st.tuples(st.booleans(), st.booleans()),
    seed=st.integers(0, 999),
)
def test_another_conv(
    channels: tuple[int, int, int], kernels: tuple[int, int], parts: int, biases: tuple[bool, bool], seed: int
) -> None:
    draw = np.random.default_rng(seed)
    first, middle, last = channels
    feeds = {"x": draw.uniform(-1, 1, (1, first, 8, 8)).astype(np.float32)}
    weights = {
        "v": draw.uniform(-1, 1, (middle, first, kernels[0], kernels[0])).astype(np.float32),
        "w": draw.uniform(-1, 1, (last, middle, kernels[1], kernels[1])).astype(np.float32),
        "a": draw.uniform(-1, 1, middle).astype(np.float32),
        "b": draw.uniform(-1, 1, last).astype(np.float32),
    }
    nodes = [
        node("Conv", ["x", "v", *(["a"] if biases[0] else [])], ["middle"], pads=[1, 1, 1, 1]),
        node("Conv", ["middle", "w", *(["b"] if biases[1] else [])], ["y"]),
    ]
    taken = 4 * middle * (11 - kernels[0]) ** 2
    held = max(taken // min(parts, middle), taken // middle)
    assert_same(model_of(nodes, feeds, 17, weights), on_devices_that_bind(held), feeds, 2e-5)


@given(
    mode=st.sampled_from(["nearest", "linear", "cubic"]),
    place=st.sampled_from(["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"]),
    by_size=st.booleans(),
    scale=st.sampled_from([1.0, 1.5, 2.0, 4.0]),
    channels=st.tuples(st.integers(2, 6), st.integers(1, 5)).filter(lambda pair: pair[0] > pair[1]),
    seed=st.integers(0, 999),
)
def test_a_resize(mode: str, place: str, by_size: bool, scale: float, channels: tuple[int, int], seed: int) -> None:
    draw = np.random.default_rng(seed)
    feeds = {"x": draw.uniform(-1, 1, (1, channels[0], 4, 6)).astype(np.float32)}
    size = np.array([1, channels[0], int(4 * scale), int(6 * scale)], np.int64)
    weights = {
        "w": draw.uniform(-1, 1, (channels[1], channels[0], 1, 1)).astype(np.float32),
        "b": draw.uniform(-1, 1, channels[1]).astype(np.float32),
        "size": size if by_size else np.array([1, 1, scale, scale], np.float32),
    }
    given = ["x", "", "", "size"] if by_size else ["x", "", "size"]
    nodes = [
        node("Resize", given, ["large"], mode=mode, coordinate_transformation_mode=place),
        node("Conv", ["large", "w", "b"], ["y"]),
    ]
    assert_same(model_of(nodes, feeds, 17, weights), on_devices_that_bind(8), feeds, 1e-5)
