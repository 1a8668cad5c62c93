"""Head levels concatenated with channels last have the same numbers in the same places."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.fusion.join_channels_last import JoinChannelsLast


@given(
    grids=st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=2, max_size=4),
    batch=st.integers(1, 2),
    channels=st.integers(1, 4),
    axis=st.sampled_from((2, -1)),
)
def test_levels(grids: list[tuple[int, int]], batch: int, channels: int, axis: int) -> None:
    random = np.random.default_rng(channels)
    feeds = {f"x{at}": random.uniform(-1, 1, (batch, 3, *grid)).astype(np.float32) for at, grid in enumerate(grids)}
    weights = {
        "weights": random.uniform(-1, 1, (channels, 3, 1, 1)).astype(np.float32),
        "shape": np.array([batch, channels, -1]),
    }
    nodes = []
    for name in feeds:
        nodes.append(helper.make_node("Conv", [name, "weights"], [f"{name}/conv"]))
        nodes.append(helper.make_node("Reshape", [f"{name}/conv", "shape"], [f"{name}/row"]))
    nodes.append(helper.make_node("Concat", [f"{name}/row" for name in feeds], ["y"], axis=axis))
    assert_same(model_of(nodes, feeds, 18, weights), JoinChannelsLast, feeds)
