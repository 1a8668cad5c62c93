"""Quantized operators computed in float32 give the same numbers, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.dtypes.dequantize_ops import DequantizeOps

BYTES = st.sampled_from((np.uint8, np.int8))
SEEDS = st.integers(0, 9999)
FLOAT = onnx.TensorProto.FLOAT


def limits(dtype: Any) -> tuple[int, int]:
    """Return the least and the greatest number to draw; for int8 those that native kernels multiply without saturating.

    Without VNNI instructions ONNX Runtime adds two products of uint8 and int8 in 16 bits: 2 * 255 * 127 does not fit.
    """
    return (-64, 64) if dtype == np.int8 else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))


def whole(draw: np.random.Generator, dtype: Any, *shape: int) -> NDArray[Any]:
    """Return random integers within the limits of their type."""
    low, high = limits(dtype)
    return draw.integers(low, high + 1, shape).astype(dtype)


@given(
    weights=BYTES,
    shape=st.tuples(*(st.integers(1, 7) for _ in range(3))),
    outputs=st.integers(1, 5),
    kernel=st.integers(1, 3),
    stride=st.integers(1, 2),
    group=st.sampled_from((1, 1, 2)),
    size=st.sampled_from((0.0, 1e-3, 1.0, 1e4)),
    seed=SEEDS,
)
def test_a_dynamic_convolution(
    weights: Any,
    shape: tuple[int, int, int],
    outputs: int,
    kernel: int,
    stride: int,
    group: int,
    size: float,
    seed: int,
) -> None:
    draw, (inputs, *sides) = np.random.default_rng(seed), shape
    x = (draw.normal(draw.uniform(-2, 2), 1, (1, inputs * group, *(side + 2 for side in sides))) * size).astype(
        np.float32
    )
    held = {
        "w": whole(draw, weights, outputs * group, inputs, kernel, kernel),
        "wz": np.zeros((), weights) if seed % 2 else whole(draw, weights),
    }
    node = onnx.helper.make_node
    nodes = [
        node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
        node("ConvInteger", ["q", "w", "z", "wz"], ["i"], group=group, strides=[stride] * 2, pads=[kernel // 2] * 4),
        node("Cast", ["i"], ["f"], to=FLOAT),
        node("Mul", ["f", "s"], ["y"]),
    ]
    assert_same(model_of(nodes, {"x": x}, 17, held), DequantizeOps, {"x": x})


@given(
    left=BYTES,
    right=BYTES,
    sizes=st.tuples(st.integers(1, 5), st.sampled_from((1, 3, 17, 258, 259, 900)), st.integers(1, 5)),
    columns=st.booleans(),
    fixed=st.booleans(),
    extreme=st.booleans(),
    seed=SEEDS,
)
@example(left=np.uint8, right=np.uint8, sizes=(2, 259, 3), columns=False, fixed=True, extreme=True, seed=0)
@example(left=np.int8, right=np.uint8, sizes=(1, 901, 1), columns=False, fixed=False, extreme=True, seed=0)
def test_a_product_of_whole_numbers(
    left: Any, right: Any, sizes: tuple[int, int, int], columns: bool, fixed: bool, extreme: bool, seed: int
) -> None:
    draw, (rows, shared, results) = np.random.default_rng(seed), sizes
    a, b = whole(draw, left, rows, shared), whole(draw, right, shared, results)
    if extreme:
        a, b = np.full_like(a, limits(left)[1]), np.full_like(b, limits(right)[1])
    zeros = {"az": np.full((), np.iinfo(left).min if extreme else 3, left)}
    zeros["bz"] = whole(draw, right, results) if columns else np.full((), np.iinfo(right).min if extreme else 5, right)
    feeds = {"a": a} if fixed else {"a": a, "b": b}
    nodes = [onnx.helper.make_node("MatMulInteger", ["a", "b", "az", "bz"], ["y"])]
    model = model_of(nodes, feeds, 17, {**zeros, "b": b} if fixed else zeros)
    assert_same(model, DequantizeOps, feeds)


@given(dtype=BYTES, channels=st.booleans(), scale=st.sampled_from((1e-3, 0.013, 0.5, 2.0)), seed=SEEDS)
def test_quantized_and_back(dtype: Any, channels: bool, scale: float, seed: int) -> None:
    draw = np.random.default_rng(seed)
    x = (draw.normal(0, 1, (2, 3, 5)) * 50).astype(np.float32)
    x[0, :, 0] = np.float32(scale) * np.array([0.5, 1.5, -2.5], np.float32)
    room = (3,) if channels else ()
    held = {"s": draw.uniform(scale, 2 * scale, room).astype(np.float32), "z": whole(draw, dtype, *room)}
    if not channels:
        held["s"] = np.array(scale, np.float32)
    node = onnx.helper.make_node
    nodes = [node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("DequantizeLinear", ["q", "s", "z"], ["y"])]
    assert_same(model_of(nodes, {"x": x}, 17, held), DequantizeOps, {"x": x})


@given(channels=st.booleans(), bias=st.booleans(), scale=st.floats(1e-4, 0.1), seed=SEEDS)
def test_a_convolution_quantized_again(channels: bool, bias: bool, scale: float, seed: int) -> None:
    draw = np.random.default_rng(seed)
    x = draw.normal(0, 1, (1, 4, 5, 5)).astype(np.float32)
    held: dict[str, NDArray[Any]] = {
        "s": np.array(0.02, np.float32),
        "z": whole(draw, np.uint8),
        "w": whole(draw, np.uint8, 3, 4, 3, 3),
    }
    held |= {"ws": draw.uniform(scale, 2 * scale, (3,) if channels else ()).astype(np.float32)}
    held |= {"wz": whole(draw, np.uint8), "ys": np.array(0.7, np.float32), "yz": whole(draw, np.uint8)}
    held |= {"b": draw.integers(-9999, 9999, 3).astype(np.int32)} if bias else {}
    node, names = onnx.helper.make_node, ["q", *held]
    nodes = [node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("QLinearConv", names, ["c"], pads=[1] * 4)]
    nodes.append(node("DequantizeLinear", ["c", "ys", "yz"], ["y"]))
    assert_same(model_of(nodes, {"x": x}, 17, held), DequantizeOps, {"x": x})
