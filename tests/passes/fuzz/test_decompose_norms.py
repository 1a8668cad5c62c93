"""Normalizations written as other operators."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.decompose_norms import DecomposeNorms

SPACE = st.lists(st.integers(1, 4), min_size=2, max_size=2)


@given(
    size=st.sampled_from((1, 3, 5)),
    channels=st.integers(1, 7),
    space=SPACE,
    alpha=st.floats(0.0625, 2.0, width=32),
    beta=st.floats(0.25, 2.0, width=32),
    bias=st.floats(0.5, 2.0, width=32),
    seed=st.integers(0, 999),
)
def test_neighbouring_channels(
    size: int, channels: int, space: list[int], alpha: float, beta: float, bias: float, seed: int
) -> None:
    x = np.random.default_rng(seed).uniform(-2, 2, (2, channels, *space)).astype(np.float32)
    node = onnx.helper.make_node("LRN", ["x"], ["y"], size=size, alpha=alpha, beta=beta, bias=bias)
    assert_same(model_of([node], {"x": x}, 13), DecomposeNorms, {"x": x}, 1e-5)


@given(st.integers(1, 3), st.integers(1, 3), SPACE, st.floats(2**-17, 0.125, width=32), st.integers(0, 999))
def test_groups_of_channels(groups: int, held: int, space: list[int], epsilon: float, seed: int) -> None:
    draw, channels = np.random.default_rng(seed), groups * held
    x = draw.uniform(-2, 2, (2, channels, 2, *space)).astype(np.float32)
    weights = {name: draw.uniform(-1, 1, channels).astype(np.float32) for name in ("scale", "bias")}
    node = onnx.helper.make_node(
        "GroupNormalization", ["x", "scale", "bias"], ["y"], num_groups=groups, epsilon=epsilon
    )
    assert_same(model_of([node], {"x": x}, 21, weights, "x"), DecomposeNorms, {"x": x}, 1e-5)
