"""Reducing the elements that a mask selects equals reducing all elements with the others masked out."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.static_shapes.dense_boolean_indexing import DenseBooleanIndexing


@given(
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    steps=st.lists(st.sampled_from(("Abs", "Neg", "Exp", "Add", "Mul", "Sigmoid", "Tanh")), max_size=3),
    reduction=st.sampled_from(("ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin")),
    low=st.sampled_from((-2.0, -0.3, 0.4)),
    keep=st.booleans(),
    opset=st.sampled_from((13, 17, 18)),
)
def test_a_reduction_of_what_is_selected(
    shape: list[int], steps: list[str], reduction: str, low: float, keep: bool, opset: int
) -> None:
    x = np.random.default_rng(len(steps)).uniform(-1, 1, shape).astype(np.float32)
    x.flat[0] = 0.9
    nodes = [
        helper.make_node("Greater", ["x", "low"], ["mask"]),
        helper.make_node("NonZero", ["mask"], ["found"]),
        helper.make_node("Transpose", ["found"], ["places"], perm=[1, 0]),
        helper.make_node("GatherND", ["x", "places"], ["v0"]),
    ]
    for number, op in enumerate(steps):
        more = ["half"] if op in ("Add", "Mul") else []
        nodes.append(helper.make_node(op, [f"v{number}", *more], [f"v{number + 1}"]))
    last = f"v{len(steps)}"
    if opset >= 18 or reduction == "ReduceSum":
        nodes.append(helper.make_node(reduction, [last, "axes"], ["y"], keepdims=int(keep)))
    else:
        nodes.append(helper.make_node(reduction, [last], ["y"], axes=[0], keepdims=int(keep)))
    held = {"low": np.float32(low), "half": np.float32(0.5), "axes": np.array([0], np.int64)}
    weights = {name: np.array(value) for name, value in held.items()}
    assert_same(model_of(nodes, {"x": x}, opset, weights), DenseBooleanIndexing, {"x": x}, 1e-6)


@given(
    rows=st.integers(1, 6),
    width=st.integers(1, 5),
    steps=st.lists(st.sampled_from(("MatMul", "Softmax", "LayerNormalization", "Tanh", "Add", "Own")), max_size=4),
    chooser=st.sampled_from(("GatherND", "Gather", "Compress")),
    end=st.sampled_from(("ReduceSum", "ReduceMean", "ReduceMax", "ScatterND")),
    axes=st.sampled_from(([0], [0, 1], [-2])),
    low=st.sampled_from((-2.0, -0.2, 0.3)),
)
def test_what_is_computed_from_each_row_alone(
    rows: int, width: int, steps: list[str], chooser: str, end: str, axes: list[int], low: float
) -> None:
    random = np.random.default_rng(rows + 8 * width)
    feeds = {"x": random.uniform(-1, 1, (rows, width)).astype(np.float32), "by": np.linspace(0.9, -1, rows, dtype="f")}
    nodes = [
        helper.make_node("Greater", ["by", "low"], ["mask"]),
        helper.make_node("NonZero", ["mask"], ["found"]),
        helper.make_node("Transpose", ["found"], ["places"], perm=[1, 0]),
        helper.make_node("Reshape", ["found", "line"], ["numbers"]),
    ]
    places = {"GatherND": "places", "Gather": "numbers", "Compress": "mask"}[chooser]
    along: dict[str, Any] = {} if chooser == "GatherND" else {"axis": 0}
    nodes.append(helper.make_node(chooser, ["x", places], ["v0"], **along))
    for number, op in enumerate(steps):
        value, result = f"v{number}", f"v{number + 1}"
        more = {"MatMul": ["w"], "LayerNormalization": ["row", "row"], "Add": ["row"], "Own": [value]}.get(op, [])
        attributes: dict[str, Any] = {"axis": -1} if op in ("Softmax", "LayerNormalization") else {}
        nodes.append(helper.make_node("Mul" if op == "Own" else op, [value, *more], [result], **attributes))
    last = f"v{len(steps)}"
    if end == "ScatterND":
        nodes.append(helper.make_node(end, ["x", "places", last], ["y"]))
    else:
        nodes.append(helper.make_node(end, [last, "axes"], ["y"], keepdims=0))
    held: dict[str, np.ndarray[Any, Any]] = {
        "low": np.array(low, np.float32),
        "line": np.array([-1], np.int64),
        "axes": np.array(axes, np.int64),
        "w": random.uniform(-1, 1, (width, width)).astype(np.float32),
        "row": random.uniform(0.5, 1, width).astype(np.float32),
    }
    assert_same(
        model_of(nodes, feeds, 18, held, like="x" if end == "ScatterND" else None), DenseBooleanIndexing, feeds, 1e-5
    )
