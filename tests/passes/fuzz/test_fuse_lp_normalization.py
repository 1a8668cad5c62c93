"""A division by an L2 norm along any axis, and near misses."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, fires, model_of
from webbuild.passes.fusion.fuse_lp_normalization import FuseLpNormalization


@given(
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    opset=st.sampled_from((13, 18)),
    bound=st.sampled_from(("Clip", "Max")),
    expand=st.sampled_from((None, "sizes", "shape", "part", "rows")),
    least=st.sampled_from((1e-12, 1e-10, 1e-6)),
    far=st.sampled_from((1.0, 1e-4, 100.0)),
    data=st.data(),
)
def test_a_division_by_a_norm(
    shape: list[int], opset: int, bound: str, expand: str | None, least: float, far: float, data: st.DataObject
) -> None:
    rank = len(shape)
    axes = data.draw(st.lists(st.integers(-rank, rank - 1), min_size=1, max_size=2))
    keeps, high = data.draw(st.sampled_from((1, 1, 1, 0))), data.draw(st.sampled_from((None, None, 2.0)))
    assume(len({axis % rank for axis in axes}) == len(axes))
    assume(opset == 18 or high is None or bound == "Clip")
    generator = np.random.default_rng(sum(shape))
    x = generator.uniform(-far, far, shape).astype(np.float32)
    weights = {"least": np.array(least, np.float32), "axes": np.array(axes)}
    reduce = (
        helper.make_node("ReduceL2", ["x", "axes"], ["n"], keepdims=keeps)
        if opset >= 18
        else helper.make_node("ReduceL2", ["x"], ["n"], axes=axes, keepdims=keeps)
    )
    bounds = ["n", "least"]
    if high is not None:
        weights["high"] = np.array(high, np.float32)
        bounds.append("high")
    nodes = [reduce, helper.make_node(bound, bounds, ["b"])]
    if expand is not None:
        sizes = [2, *shape] if expand == "rows" else shape
        assume(expand != "part" or opset >= 15)
        if expand in ("shape", "part"):
            nodes.append(helper.make_node("Shape", ["x"], ["sizes"], start=1 if expand == "part" else None))
        else:
            weights["sizes"] = np.array(sizes)
        nodes.append(helper.make_node("Expand", ["b", "sizes"], ["e"]))
    divided = helper.make_node("Div", ["x", "b" if expand is None else "e"], ["d"])
    try:
        model = model_of([*nodes, divided, helper.make_node("Neg", ["d"], ["y"])], {"x": x}, opset, weights)
    except Exception:
        assume(False)  # the sizes do not broadcast
        raise
    plain = len(axes) == 1 and keeps and high is None and least <= 1e-10
    if plain and expand in (None, "sizes", "shape"):
        assert fires(model, FuseLpNormalization)
    assume(fires(model, FuseLpNormalization))
    assert_same(model, FuseLpNormalization, {"x": x}, FuseLpNormalization.tolerance)
