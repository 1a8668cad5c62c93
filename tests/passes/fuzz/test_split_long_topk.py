"""TopK of rows with many equal numbers, infinities and zeros of both signs."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.fusion.split_long_topk import SplitLongTopK


@given(
    length=st.sampled_from((2049, 4800, 8400, 13294, 24000)),
    chosen=st.sampled_from((1, 2, 63, 300, 900)),
    largest=st.sampled_from((0, 1)),
    kinds=st.sampled_from((1, 2, 7, 10**6)),
    half=st.booleans(),
    seed=st.integers(0, 9),
)
def test_rows(length: int, chosen: int, largest: int, kinds: int, half: bool, seed: int) -> None:
    draw = np.random.default_rng(seed)
    eighths = draw.integers(-kinds, kinds, (1, length)) / np.float32(8)
    x = eighths.astype(np.float16 if half else np.float32)
    x[0, draw.integers(0, length, 5)] = (np.inf, -np.inf, np.inf, -0.0, 0.0)
    nodes = [
        helper.make_node("TopK", ["x", "k"], ["best", "index"], largest=largest),
        helper.make_node("Gather", ["table", "index"], ["position"]),
        helper.make_node("GatherElements", ["x", "index"], ["again"], axis=1),
        helper.make_node("Cast", ["index"], ["whole"], to=1),
        helper.make_node("Cast", ["best"], ["wide"], to=1),
        helper.make_node("Cast", ["again"], ["wide_again"], to=1),
        helper.make_node("Concat", ["wide", "wide_again", "position", "whole"], ["y"], axis=0),
    ]
    weights = {"k": np.array([chosen]), "table": np.arange(length, dtype=np.float32)}
    assert_same(model_of(nodes, {"x": x}, 17, weights), SplitLongTopK, {"x": x})
