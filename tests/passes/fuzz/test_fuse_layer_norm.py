"""Decomposed layer normalizations, in the operator's opset and the one before."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.fusion.fuse_layer_norm import FuseLayerNorm

OPERATORS = {"scale": "Mul", "bias": "Add"}


@given(
    shape=st.lists(st.integers(2, 5), min_size=1, max_size=4),
    power=st.booleans(),
    twice=st.booleans(),
    first=st.booleans(),
    opset=st.sampled_from((16, 17)),
    epsilon=st.sampled_from((1e-5, 1e-3)),
    weights=st.sampled_from((("scale", "bias"), ("scale",), ("bias",), ())),
)
def test_written_normalizations(
    shape: list[int], power: bool, twice: bool, first: bool, opset: int, epsilon: float, weights: tuple[str, ...]
) -> None:
    draw = np.random.default_rng(len(shape))
    x = draw.uniform(-2, 2, shape).astype(np.float32)
    constants = {name: draw.uniform(-1, 1, shape[-1]).astype(np.float32) for name in weights}
    constants |= {"two": np.array(2, np.float32), "epsilon": np.array(epsilon, np.float32)}
    centred = "f" if twice else "d"
    nodes = [
        helper.make_node("ReduceMean", ["x"], ["m"], axes=[-1]),
        helper.make_node("Sub", ["x", "m"], ["d"]),
        helper.make_node("Sub", ["x", "m"], ["f"]),
        helper.make_node("Pow", [centred, "two"], ["p"]) if power else helper.make_node("Mul", [centred] * 2, ["p"]),
        helper.make_node("ReduceMean", ["p"], ["v"], axes=[-1]),
        helper.make_node("Add", ["epsilon", "v"] if first else ["v", "epsilon"], ["e"]),
        helper.make_node("Sqrt", ["e"], ["s"]),
        helper.make_node("Div", ["d", "s"], ["n"]),
    ]
    end = "n"
    for name in weights:
        nodes.append(helper.make_node(OPERATORS[name], [name, end] if first else [end, name], [f"{end}{name}"]))
        end += name
    nodes[-1].output[0] = "y"
    assert_same(model_of(nodes, {"x": x}, opset, constants), FuseLayerNorm, {"x": x}, FuseLayerNorm.tolerance)
