"""No-ops can be removed, and duplicate nodes merged."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.simplify.canonicalize import Canonicalize


@given(
    steps=st.lists(st.sampled_from(("Identity", "Dropout", "Twice", "Unused", "Constant", "Tanh")), max_size=7),
    last=st.sampled_from(("Identity", "Dropout", "Twice")),
    opset=st.sampled_from((13, 18, 21)),
)
def test_leftovers_of_an_export(steps: list[str], last: str, opset: int) -> None:
    x = np.random.default_rng(len(steps)).uniform(-1, 1, (3, 4)).astype(np.float32)
    nodes = []
    for at, op in enumerate([*steps, last]):
        value, result = f"v{at}" if at else "x", f"v{at + 1}"
        if op == "Twice":
            nodes += [helper.make_node("Exp", [value], [f"{half}{at}"]) for half in ("a", "b")]
            nodes.append(helper.make_node("Div", [f"a{at}", f"b{at}"], [f"one{at}"]))
            nodes.append(helper.make_node("Mul", [value, f"one{at}"], [result]))
        elif op == "Constant":
            held = numpy_helper.from_array(np.array([0.5], np.float32), "held")
            nodes.append(helper.make_node("Constant", [], [f"c{at}"], value=held))
            nodes.append(helper.make_node("Mul", [value, f"c{at}"], [result]))
        elif op == "Unused":
            nodes.append(helper.make_node("Neg", [value], [f"u{at}"]))
            nodes.append(helper.make_node("Abs", [value], [result]))
        else:
            nodes.append(helper.make_node(op, [value], [result]))
    nodes.append(helper.make_node("Sigmoid", [f"v{len(steps) + 1}"], ["y"]))
    assert_same(model_of(nodes, {"x": x}, opset), Canonicalize, {"x": x})
