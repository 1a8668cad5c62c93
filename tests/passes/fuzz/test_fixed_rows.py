"""Rows padded to a fixed count give the same results as that many rows from the start."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.static_shapes.fixed_rows import FixedRows


@given(
    boxes=st.integers(1, 9),
    rows=st.integers(1, 12),
    chooser=st.sampled_from(("NonMaxSuppression", "NonZero", "NonZero of a list")),
    steps=st.lists(st.sampled_from(("Neg", "Add", "Reshape", "Transpose", "Unsqueeze")), max_size=3),
    flat=st.booleans(),
    low=st.sampled_from((-1.0, 0.3, 0.6, 2.0)),
    opset=st.sampled_from((12, 13, 17, 18)),
    seed=st.integers(0, 99),
)
def test_rows_of_a_suppression_or_a_mask(
    boxes: int, rows: int, chooser: str, steps: list[str], flat: bool, low: float, opset: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    feeds = {
        "x": random.uniform(0, 1, (boxes, 4)).astype(np.float32),
        "s": random.permutation(np.linspace(0, 1, boxes, dtype=np.float32)),
        "order": random.permutation(boxes).astype(np.int32),
    }
    held: dict[str, np.ndarray[Any, Any]] = {
        "low": np.array([low], np.float32),
        "iou": np.array([0.4], np.float32),
        "all": np.array([2**63 - 1]),
        "flat": np.array([-1]),
        "two": np.array(2),
        "box": np.array([1, -1, 4]),
        "line": np.array([1, 1, -1]),
        "rows": np.array([rows * 4 if flat else rows]),
        "zero": np.array([0]),
        "first": np.array([0]),
        "none": np.array([0, 0]),
        "one": np.array([1]),
        "cell": np.array([4, -1]),
        "like": np.array([-1, 4]),
        "limit": np.array([rows]),
        "half": np.array(0.5, np.float32),
    }
    nodes = []

    def add(op: str, inputs: str, output: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(op, inputs.split(), output.split(), **attributes))
        return output.split()[0]

    if chooser == "NonMaxSuppression":
        add("NonMaxSuppression", f"{add('Reshape', 'x box', 'b')} {add('Reshape', 's line', 'c')} all iou low", "t")
        places = add("Gather", "t two", "places", axis=1)
    else:
        add("NonZero", add("Greater", "s low", "mask"), "found")
        places = add("Reshape", "found flat", "places")
        if chooser == "NonZero of a list":
            places = add("Cast", add("Gather", f"order {places}", "listed"), "wide", to=7)
    row = add("Gather", f"x {add('Slice', f'{places} first limit zero', 'keep')}", "r", axis=0)
    for number, op in enumerate(steps):
        name = f"r{number}"
        if op == "Add":
            add("Add", f"{row} half", name)
        elif op == "Reshape":
            add("Reshape", f"{row} like", name)
        elif op == "Transpose":
            add("Transpose", add("Transpose", row, f"{name}t", perm=[1, 0]), name, perm=[1, 0])
        elif op == "Unsqueeze":
            held["pair"] = np.array([-1, 2, 2])
            add("Reshape", f"{add('Reshape', f'{row} pair', f'{name}u')} like", name)
        else:
            add(op, row, name)
        row = name
    if flat:
        row = add("Reshape", f"{row} flat", "line_of_rows")
    count = add("Slice", f"{add('Shape', row, 'shape')} first one zero", "count")
    missing = add("Sub", f"rows {count}", "missing")
    pads = add("Concat", f"zero {missing}" if flat else f"none {missing} zero", "pads", axis=0)
    add("Pad", f"{row} {pads}", "y")
    assert_same(model_of(nodes, feeds, opset, held), FixedRows, feeds)
