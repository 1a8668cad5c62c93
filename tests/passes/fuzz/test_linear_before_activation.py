"""A linear layer with and without a bias before any activation, with reshapes between, and near misses."""

from __future__ import annotations

import math

import numpy as np
import onnx
from hypothesis import assume, given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, fires, model_of
from webbuild.passes.fusion.linear_before_activation import LinearBeforeActivation

ACTIVATIONS = ("Relu", "Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid", "SiLU", "QuickGelu", "Gelu", "Gelu, half first")


def activation(name: str, value: str) -> list[onnx.NodeProto]:
    """Return nodes that compute `y` from a value."""
    make = helper.make_node
    if name == "SiLU":
        return [make("Sigmoid", [value], ["s"]), make("Mul", [value, "s"], ["y"])]
    if name == "QuickGelu":
        return [
            make("Mul", [value, "quick"], ["k"]),
            make("Sigmoid", ["k"], ["s"]),
            make("Mul", [value, "s"], ["y"]),
        ]
    if name.startswith("Gelu"):
        head = [
            make("Div", [value, "root"], ["r"]),
            make("Erf", ["r"], ["e"]),
            make("Add", ["e", "one"], ["o"]),
        ]
        if name == "Gelu":
            return [*head, make("Mul", [value, "o"], ["p"]), make("Mul", ["p", "half"], ["y"])]
        return [*head, make("Mul", ["o", "half"], ["p"]), make("Mul", [value, "p"], ["y"])]
    return [make(name, [value], ["y"])]


@given(
    rows=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    inner=st.integers(1, 5),
    outer=st.integers(1, 4),
    bias=st.sampled_from((None, "plain", "plain", "row", "one", "by row", "large")),
    swapped=st.booleans(),
    name=st.sampled_from(ACTIVATIONS),
    reshaped=st.booleans(),
    opset=st.sampled_from((9, 10, 11, 13, 17)),
    half=st.booleans(),
)
def test_a_linear_layer(
    rows: list[int],
    inner: int,
    outer: int,
    bias: str | None,
    swapped: bool,
    name: str,
    reshaped: bool,
    opset: int,
    half: bool,
) -> None:
    kind = np.float16 if half else np.float32
    generator = np.random.default_rng(inner * 10 + outer)
    x = generator.uniform(-2, 2, (*rows, inner)).astype(kind)
    shapes = {
        "plain": (outer,),
        "row": (1, outer),
        "one": (1,),
        "by row": (rows[-1], outer),
        "large": (2, *([1] * len(rows)), outer),
    }
    weights = {
        "w": generator.uniform(-1, 1, (inner, outer)).astype(kind),
        **{key: np.array(number, kind) for key, number in (("quick", 1.702), ("one", 1), ("half", 0.5))},
        "root": np.array(math.sqrt(2), kind),
    }
    nodes, value = [helper.make_node("MatMul", ["x", "w"], ["m"])], "m"
    if bias is not None:
        weights["b"] = generator.uniform(-1, 1, shapes[bias]).astype(kind)
        nodes.append(helper.make_node("Add", ["b", value] if swapped else [value, "b"], ["a"]))
        value = "a"
    if reshaped:
        weights["sizes"] = np.array([-1, 1, outer])
        nodes.append(helper.make_node("Reshape", [value, "sizes"], ["t"]))
        value = "t"
    model = model_of([*nodes, *activation(name, value)], {"x": x}, opset, weights)
    if bias in (None, "plain"):
        assert fires(model, LinearBeforeActivation)
    assume(fires(model, LinearBeforeActivation))
    tolerance = 4e-3 if half else LinearBeforeActivation.tolerance
    assert_same(model, LinearBeforeActivation, {"x": x}, tolerance)
