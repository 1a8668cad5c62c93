"""Values that depend on no input, including sizes, equal their precomputed constants."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.simplify.fold_constants import FoldConstants


@given(
    shape=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    axis=st.integers(0, 3),
    grid=st.integers(1, 6),
    steps=st.lists(st.sampled_from(("Mul", "Add", "Sqrt", "Transpose", "Unsqueeze")), max_size=4),
    opset=st.sampled_from((13, 17, 18)),
)
def test_sizes_and_grids(shape: list[int], axis: int, grid: int, steps: list[str], opset: int) -> None:
    x = np.random.default_rng(grid).uniform(-1, 1, shape).astype(np.float32)
    axis %= len(shape)
    nodes = [
        helper.make_node("Shape", ["x"], ["sizes"]),
        helper.make_node("Gather", ["sizes", "axis"], ["size"], axis=0),
        helper.make_node("Mul", ["size", "grid"], ["many"]),
        helper.make_node("Range", ["zero", "many", "one"], ["numbers"]),
        helper.make_node("Cast", ["numbers"], ["v0"], to=1),
    ]
    for at, op in enumerate(steps):
        more = {"Mul": ["half"], "Add": ["half"], "Unsqueeze": ["first"]}.get(op, [])
        nodes.append(helper.make_node(op, [f"v{at}", *more], [f"v{at + 1}"]))
    nodes.append(helper.make_node("ReduceSum", [f"v{len(steps)}"], ["total"], keepdims=0))
    nodes.append(helper.make_node("Mul", ["x", "total"], ["y"]))
    whole = {"axis": axis, "grid": grid, "zero": 0, "one": 1}
    weights: dict[str, NDArray[Any]] = {name: np.array(value, np.int64) for name, value in whole.items()}
    weights |= {"half": np.array(0.5, np.float32), "first": np.array([0], np.int64)}
    assert_same(model_of(nodes, {"x": x}, opset, weights), FoldConstants, {"x": x}, 1e-5)
