"""Pre-norm residual blocks, of any rank, with and without a Reshape between."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.fusion.skip_layer_norm import SkipLayerNorm


@given(
    shape=st.lists(st.integers(1, 4), min_size=2, max_size=5),
    flat=st.booleans(),
    bias=st.booleans(),
    epsilon=st.sampled_from((1e-5, 1e-3, 1e-12)),
)
def test_residual_blocks(shape: list[int], flat: bool, bias: bool, epsilon: float) -> None:
    draw = np.random.default_rng(len(shape))
    feeds = {name: draw.uniform(-1, 1, shape).astype(np.float32) for name in ("x", "z")}
    weights = {name: draw.uniform(-1, 1, shape[-1]).astype(np.float32) for name in ("scale", "bias")}
    weights["rows"] = np.array([-1, shape[-1]])
    nodes = [
        helper.make_node("Add", ["x", "z"], ["s"]),
        helper.make_node("Reshape", ["s", "rows"], ["f"]) if flat else helper.make_node("Identity", ["s"], ["f2"]),
        helper.make_node(
            "LayerNormalization", ["f" if flat else "s", "scale", *(["bias"] if bias else [])], ["n"], epsilon=epsilon
        ),
        helper.make_node("Add", ["n", "f" if flat else "s"], ["y"]),
    ]
    assert_same(model_of(nodes, feeds, 18, weights), SkipLayerNorm, feeds, SkipLayerNorm.tolerance)
