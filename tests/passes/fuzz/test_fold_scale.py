"""Projections that are split, moved and scaled: by one number, by one for each column, or for some heads only."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.fusion.fold_scale import FoldScale


@given(
    heads=st.integers(1, 3),
    size=st.integers(1, 4),
    scaled=st.sets(st.integers(0, 2), min_size=1),
    kind=st.sampled_from(("one number", "each head", "each column")),
    op=st.sampled_from(("Mul", "Div")),
    first=st.booleans(),
)
def test_parts_of_a_projection(heads: int, size: int, scaled: set[int], kind: str, op: str, first: bool) -> None:
    draw = np.random.default_rng(size)
    width = heads * size
    x = draw.uniform(-1, 1, (2, 5, 4)).astype(np.float32)
    shape = {"one number": (), "each head": (heads, 1, 1), "each column": (size,)}[kind]
    weights = {
        "w": draw.uniform(-1, 1, (4, 3 * width)).astype(np.float32),
        "b": draw.uniform(-1, 1, 3 * width).astype(np.float32),
        "parts": np.array([2, 5, 3, heads, size]),
        "zero": np.array([0]),
    }
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"]),
        helper.make_node("Add", ["b", "m"] if first else ["m", "b"], ["a"]),
        helper.make_node("Reshape", ["a", "parts"], ["r"]),
        helper.make_node("Transpose", ["r"], ["t"], perm=[2, 0, 3, 1, 4]),  # [3, 2, heads, 5, size]
        helper.make_node("Split", ["t"], ["s0", "s1", "s2"], axis=0, num_outputs=3),
    ]
    for part in range(3):
        nodes.append(helper.make_node("Squeeze", [f"s{part}", "zero"], [f"p{part}"]))
        weights[f"factor{part}"] = draw.uniform(0.5, 2, shape).astype(np.float32)
        if part in scaled:
            nodes.append(helper.make_node(op, [f"p{part}", f"factor{part}"], [f"q{part}"]))
        else:
            nodes.append(helper.make_node("Neg", [f"p{part}"], [f"q{part}"]))
    nodes.append(helper.make_node("Sum", ["q0", "q1", "q2"], ["y"]))
    assert_same(model_of(nodes, {"x": x}, 18, weights), FoldScale, {"x": x}, FoldScale.tolerance)
