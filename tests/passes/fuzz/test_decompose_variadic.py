"""Sum and Mean as chains of Adds."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.decompose_variadic import DecomposeVariadic


@given(st.sampled_from(("Sum", "Mean")), st.integers(1, 6), st.sampled_from((8, 13, 21)), st.integers(0, 999))
def test_operands_of_several_ranks(op: str, count: int, opset: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    shapes: tuple[list[int], ...] = ([2, 3, 4], [4], [3, 1], [1, 3, 4], [])
    feeds = {f"x{i}": draw.uniform(-1, 1, shapes[draw.integers(5)]).astype(np.float32) for i in range(count)}
    model = model_of([onnx.helper.make_node(op, list(feeds), ["y"])], feeds, opset)
    assert_same(model, DecomposeVariadic, feeds, 1e-6)
