"""Images to tokens and tokens to images, of any size, including one channel or one row."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.fusion.channels_last_tokens import ChannelsLastTokens


@given(
    sizes=st.tuples(st.integers(1, 3), st.integers(2, 4), st.integers(1, 4), st.integers(2, 5)),
    back=st.booleans(),
    flat=st.booleans(),
)
def test_tokens_and_pictures(sizes: tuple[int, int, int, int], back: bool, flat: bool) -> None:
    count, channels, height, width = sizes
    rank = 2 if flat and count == 1 else 3
    weights = {
        "w": np.random.default_rng(1).uniform(-1, 1, (channels, channels, 1, 1)).astype(np.float32),
        "flat": np.array([count, channels, height * width][3 - rank :]),
        "picture": np.array(sizes),
    }
    perm = [1, 0] if rank == 2 else [0, 2, 1]
    x = np.random.default_rng(0).uniform(-1, 1, (count, channels, height, width)).astype(np.float32)
    if back:
        x = x.reshape([count, height * width, channels][3 - rank :])
        nodes = [
            helper.make_node("Transpose", ["x"], ["a"], perm=perm),
            helper.make_node("Reshape", ["a", "picture"], ["b"]),
            helper.make_node("Conv", ["b", "w"], ["y"]),
        ]
    else:
        nodes = [
            helper.make_node("Conv", ["x", "w"], ["a"]),
            helper.make_node("Reshape", ["a", "flat"], ["b"]),
            helper.make_node("Transpose", ["b"], ["y"], perm=perm),
        ]
    assert_same(model_of(nodes, {"x": x}, 18, weights), ChannelsLastTokens, {"x": x})
