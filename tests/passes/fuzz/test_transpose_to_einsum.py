"""A Transpose before ArgMax and ArgMin: any order and axis, ties in both directions."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, fires, model_of
from webbuild.passes.workarounds.transpose_to_einsum import TransposeToEinsum


@given(
    rank=st.integers(1, 6),
    op=st.sampled_from(("ArgMax", "ArgMin")),
    keeps=st.booleans(),
    last=st.booleans(),
    opset=st.sampled_from((12, 13, 17, 21)),
    half=st.booleans(),
    data=st.data(),
)
def test_the_places_stay(
    rank: int, op: str, keeps: bool, last: bool, opset: int, half: bool, data: st.DataObject
) -> None:
    shape = data.draw(st.lists(st.integers(1, 4), min_size=rank, max_size=rank))
    order = data.draw(st.none() | st.permutations(range(rank)))
    axis = data.draw(st.integers(-rank, rank - 1))
    kind = np.float16 if half else np.float32
    x = np.random.default_rng(rank).integers(-2, 3, shape).astype(kind)  # with ties
    nodes = [
        helper.make_node("Transpose", ["x"], ["t"], perm=None if order is None else list(order)),
        helper.make_node(op, ["t"], ["n"], axis=axis, keepdims=int(keeps), select_last_index=int(last)),
        helper.make_node("Cast", ["n"], ["y"], to=1),
    ]
    model = model_of(nodes, {"x": x}, opset)
    assume(fires(model, TransposeToEinsum))
    assert_same(model, TransposeToEinsum, {"x": x})
