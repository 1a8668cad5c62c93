"""And with every kind of broadcasting, several in one model."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, fires, model_of
from webbuild.passes.workarounds.expand_and_operands import ExpandAndOperands

SIDES = st.tuples(
    st.lists(st.sampled_from((1, 2, 4, 8)), min_size=1, max_size=3),
    st.lists(st.booleans(), min_size=6, max_size=6),
    st.integers(0, 2),
    st.integers(0, 2),
)


@given(sides=st.lists(SIDES, min_size=2, max_size=4), opset=st.sampled_from((8, 13, 17)), stored=st.booleans())
def test_the_booleans_stay(sides: list[tuple[list[int], list[bool], int, int]], opset: int, stored: bool) -> None:
    generator = np.random.default_rng(len(sides))
    feeds, nodes, flat = dict[str, np.ndarray](), [], []
    for index, (shape, ones, left_cut, right_cut) in enumerate(sides):
        names = [f"a{index}", f"b{index}"]
        for name, kept, cut in zip(names, (ones[:3], ones[3:]), (left_cut, right_cut), strict=True):
            own = [1 if one else size for size, one in zip(shape, kept, strict=False)][min(cut, len(shape) - 1) :]
            feeds[name] = generator.integers(0, 2, own).astype(bool)
        nodes += [
            helper.make_node("And", names, [f"n{index}"]),
            helper.make_node("Reshape", [f"n{index}", "line"], [f"f{index}"]),
        ]
        flat.append(f"f{index}")
    weights = {"line": np.array([-1])}
    if stored:
        weights["b0"] = feeds.pop("b0")
    nodes += [
        helper.make_node("Concat", flat, ["all"], axis=0),
        helper.make_node("Cast", ["all"], ["y"], to=1),
    ]
    model = model_of(nodes, feeds, opset, weights)
    assume(fires(model, ExpandAndOperands))
    assert_same(model, ExpandAndOperands, feeds)
