"""LogSoftmax written as reductions."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.decompose_softmax import DecomposeSoftmax


@given(
    shape=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    opset=st.sampled_from((11, 12, 13, 17, 18, 21)),
    data=st.data(),
)
def test_it_computes_the_same(shape: list[int], opset: int, data: st.DataObject) -> None:
    axis = data.draw(st.one_of(st.none(), st.integers(-len(shape), len(shape) - 1)))
    seed = data.draw(st.integers(0, 999))
    draw = np.random.default_rng(seed)
    x = draw.choice(draw.uniform(-30, 30, 6), shape).astype(np.float32)
    if axis is None and opset < 13 and len(shape) < 2:
        axis = 0
    named: dict[str, Any] = {} if axis is None else {"axis": axis}
    model = model_of([onnx.helper.make_node("LogSoftmax", ["x"], ["y"], **named)], {"x": x}, opset)
    assert_same(model, DecomposeSoftmax, {"x": x}, 1e-6)
