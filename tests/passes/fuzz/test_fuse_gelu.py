"""Gelu with its products in any order: fused where the engine would not fuse it, with the same results."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.fusion.fuse_gelu import FuseGelu


@given(
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    divides=st.booleans(),
    swaps=st.lists(st.booleans(), min_size=4, max_size=4),
    opset=st.sampled_from((13, 18, 20)),
    far=st.sampled_from((1.0, 10.0)),
)
def test_orders_of_the_product(shape: list[int], divides: bool, swaps: list[bool], opset: int, far: float) -> None:
    x = np.random.default_rng(len(shape)).uniform(-far, far, shape).astype(np.float32)
    root = math.sqrt(2) if divides else math.sqrt(0.5)
    weights = {name: np.array(value, np.float32) for name, value in (("root", root), ("one", 1), ("half", 0.5))}

    def swapped(at: int, *names: str) -> list[str]:
        return list(names[::-1] if swaps[at] else names)

    nodes = [
        helper.make_node("Neg", ["x"], ["n"]),
        helper.make_node("Div", ["n", "root"], ["a"])
        if divides
        else helper.make_node("Mul", swapped(0, "n", "root"), ["a"]),
        helper.make_node("Erf", ["a"], ["e"]),
        helper.make_node("Add", swapped(1, "e", "one"), ["s"]),
        helper.make_node("Mul", swapped(2, "s", "half"), ["h"]),
        helper.make_node("Mul", swapped(3, "h", "n"), ["y"]),
    ]
    assert_same(model_of(nodes, {"x": x}, opset, weights), FuseGelu, {"x": x}, FuseGelu.tolerance)
