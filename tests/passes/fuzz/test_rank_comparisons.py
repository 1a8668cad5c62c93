"""An int64 input compared with itself: 64-bit numbers, some with equal lower 32 bits."""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import WEBGPU, assert_same, model_of
from webbuild.passes.base import PassOptions
from webbuild.passes.dtypes.rank_comparisons import RankComparisons
from webbuild.targets.table import load_table

NUMBERS = st.sampled_from([0, 1, -1, 2**32, 2**32 + 1, -(2**32), 2**31, 2**62, 2**62 + 1, 2**63 - 1, -(2**63)])


@given(
    numbers=st.lists(NUMBERS, min_size=6, max_size=6),
    op=st.sampled_from(("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")),
)
def test_every_comparison_stays(numbers: list[int], op: str) -> None:
    x = np.array(numbers, np.int64).reshape(2, 3)
    nodes = [
        onnx.helper.make_node("Unsqueeze", ["x", "last"], ["column"]),
        onnx.helper.make_node("Unsqueeze", ["x", "first"], ["row"]),
        onnx.helper.make_node("Transpose", ["row"], ["turned"], perm=[1, 0, 2]),
        onnx.helper.make_node(op, ["column", "turned"], ["y"]),
    ]
    weights = {"last": np.array([2]), "first": np.array([0])}
    assert_same(model_of(nodes, {"x": x}, 17, weights), RankComparisons, {"x": x})


@pytest.mark.parametrize(("also_read_as_int64", "made_by"), [(False, "Cast"), (True, "Unique")])
def test_a_bundle_casts_numbers_that_nothing_else_needs_as_int64(also_read_as_int64: bool, made_by: str) -> None:
    nodes = [
        onnx.helper.make_node("Unsqueeze", ["x", "last"], ["column"]),
        onnx.helper.make_node("Equal", ["column", "x"], ["same"]),
        onnx.helper.make_node("Equal", ["x" if also_read_as_int64 else "two", "two"], ["other"]),
        onnx.helper.make_node("Or", ["same", "other"], ["y"]),
    ]
    weights = {"last": np.array([1]), "two": np.array([2])}
    model = ir.from_proto(model_of(nodes, {"x": np.arange(3)}, 17, weights))
    options = PassOptions(table=load_table(WEBGPU), int32_inputs=True)
    assert RankComparisons().apply(model, options)
    assert {use.node.op_type for use in model.graph.inputs[0].uses()} - {"Equal"} == {made_by}
