"""Splits along the first axis of a moved tensor, into parts of any sizes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.fusion.split_after_reshape import SplitAfterReshape


@given(
    sizes=st.lists(st.integers(1, 3), min_size=2, max_size=4),
    rest=st.lists(st.integers(1, 4), min_size=2, max_size=4),
    opset=st.sampled_from((11, 13, 18)),
    negative=st.booleans(),
)
def test_parts(sizes: list[int], rest: list[int], opset: int, negative: bool) -> None:
    rank = len(rest) + 1
    x = np.random.default_rng(rank).uniform(-1, 1, [*rest, sum(sizes)]).astype(np.float32)
    names = [f"p{at}" for at in range(len(sizes))]
    axis = -rank if negative else 0
    nodes = [
        helper.make_node("Transpose", ["x"], ["t"], perm=[rank - 1, *range(rank - 1)]),
        helper.make_node("Split", ["t", "sizes"], names, axis=axis)
        if opset >= 13
        else helper.make_node("Split", ["t"], names, axis=axis, split=sizes),
        helper.make_node("Concat", names[::-1], ["y"], axis=0),
    ]
    assert_same(model_of(nodes, {"x": x}, opset, {"sizes": np.array(sizes)}), SplitAfterReshape, {"x": x})
