"""The constants that replace computations on empty tensors equal native ONNX Runtime's results."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.simplify.fold_empty_tensors import FoldEmptyTensors

REDUCTIONS = [f"Reduce{name}" for name in ("Sum", "SumSquare", "L1", "L2", "Max", "Min", "Prod", "LogSum", "LogSumExp")]


def emptied(axis: int) -> tuple[onnx.NodeProto, dict[str, np.ndarray]]:
    """Return a node that takes an empty slice of `x` along an axis, and its constants."""
    weights = {"zero": np.zeros(1, np.int64), "axis": np.array([axis], np.int64)}
    return helper.make_node("Slice", ["x", "zero", "zero", "axis"], ["none"]), weights


@given(
    op=st.sampled_from(REDUCTIONS),
    shape=st.tuples(*[st.integers(1, 3)] * 3),
    axis=st.integers(-3, 2),
    more=st.booleans(),
    keep=st.booleans(),
    opset=st.sampled_from((13, 17, 18, 20)),
)
def test_a_reduction_of_nothing(op: str, shape: tuple[int, ...], axis: int, more: bool, keep: bool, opset: int) -> None:
    x = np.ones(shape, np.float32)
    cut, weights = emptied(axis)
    axes = sorted({axis % 3, (axis + 1) % 3} if more else {axis % 3})
    if opset >= 18 or op == "ReduceSum":
        weights["axes"] = np.array(axes, np.int64)
        node = helper.make_node(op, ["none", "axes"], ["y"], keepdims=int(keep))
    else:
        node = helper.make_node(op, ["none"], ["y"], axes=axes, keepdims=int(keep))
    assert_same(model_of([cut, node], {"x": x}, opset, weights), FoldEmptyTensors, {"x": x})


@given(rows=st.integers(1, 3), columns=st.integers(1, 3), addend=st.booleans(), gemm=st.booleans())
def test_a_product_over_nothing(rows: int, columns: int, addend: bool, gemm: bool) -> None:
    x = np.ones((rows, 2), np.float32)
    cut, weights = emptied(1)
    weights |= {"w": np.ones((0, columns), np.float32), "c": np.arange(columns).astype(np.float32)}
    reads = ["none", "w", *(["c"] if addend and gemm else [])]
    product = helper.make_node("Gemm" if gemm else "MatMul", reads, ["p"])
    sign = helper.make_node("Cos", ["p"], ["y"])
    assert_same(model_of([cut, product, sign], {"x": x}, 17, weights), FoldEmptyTensors, {"x": x})


@given(pads=st.lists(st.integers(0, 2), min_size=4, max_size=4), filler=st.none() | st.floats(-2, 2, width=32))
def test_padding_around_nothing(pads: list[int], filler: float | None) -> None:
    x = np.ones((2, 3), np.float32)
    cut, weights = emptied(1)
    weights["pads"] = np.array(pads, np.int64) + np.array([0, 1, 0, 0])
    if filler is not None:
        weights["filler"] = np.array(filler, np.float32)
    node = helper.make_node("Pad", ["none", "pads", *(["filler"] if filler is not None else [])], ["y"])
    assert_same(model_of([cut, node], {"x": x}, 17, weights), FoldEmptyTensors, {"x": x})
