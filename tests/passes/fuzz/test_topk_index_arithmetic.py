"""Arithmetic on the indices of a TopK gives the same in float32."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.dtypes.topk_index_arithmetic import TopKIndexArithmetic


@given(
    rows=st.integers(1, 3),
    size=st.integers(1, 300),
    part=st.floats(0.01, 1),
    divisor=st.integers(1, 90),
    step=st.sampled_from(("Div", "Mod", "Add", "Div and Mod")),
    opset=st.sampled_from((11, 13, 18)),
)
def test_arithmetic_on_where_the_largest_are(
    rows: int, size: int, part: float, divisor: int, step: str, opset: int
) -> None:
    x = np.random.default_rng(size).permutation(rows * size).reshape(rows, size).astype(np.float32)
    ops = step.split(" and ")
    nodes = [helper.make_node("TopK", ["x", "k"], ["top", "v0"], axis=1)]
    nodes += [helper.make_node(op, [f"v{at}", "n"], [f"v{at + 1}"]) for at, op in enumerate(ops)]
    nodes.append(helper.make_node("Cast", [f"v{len(ops)}"], ["y"], to=TensorProto.FLOAT))
    weights = {"k": np.array([max(1, int(size * part))]), "n": np.array(divisor, np.int64)}
    assert_same(model_of(nodes, {"x": x}, opset, weights), TopKIndexArithmetic, {"x": x})
