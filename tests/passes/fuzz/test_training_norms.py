"""A BatchNormalization in training mode is what its parts make of the same batch."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.training_norms import TrainingNorms


@given(
    shape=st.lists(st.integers(1, 5), min_size=3, max_size=5),
    epsilon=st.sampled_from((1e-5, 1e-3, 0.1)),
    momentum=st.floats(0, 1, width=32),
    output=st.integers(0, 2),
    opset=st.sampled_from((14, 17, 18, 21)),
    seed=st.integers(0, 1000),
)
def test_a_batch_that_is_measured(
    shape: list[int], epsilon: float, momentum: float, output: int, opset: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    x = random.normal(random.uniform(-3, 3), random.uniform(0.1, 4), shape).astype(np.float32)
    weights = {name: random.uniform(0.1, 2, shape[1]).astype(np.float32) for name in ("s", "b", "m", "v")}
    outputs = ["a", "b1", "c"]
    outputs[output] = "y"
    node = helper.make_node(
        "BatchNormalization", ["x", "s", "b", "m", "v"], outputs, training_mode=1, epsilon=epsilon, momentum=momentum
    )
    assert_same(model_of([node], {"x": x}, opset, weights), TrainingNorms, {"x": x}, 1e-4)
