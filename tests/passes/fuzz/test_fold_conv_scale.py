"""Convolutions with scaled and shifted output channels, by constants of every valid shape."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.fusion.fold_conv_scale import FoldConvScale

KINDS = ("one number", "one for each channel", "one for each column", "one for each picture")
"""The first two are constant within a channel."""
OPERATORS = st.sampled_from(("Add", "Mul", "BatchNormalization"))


@given(
    axes=st.integers(1, 2),
    groups=st.integers(1, 2),
    width=st.integers(1, 2),
    bias=st.booleans(),
    begins=st.tuples(OPERATORS, st.sampled_from(KINDS[:2])),
    more=st.lists(st.tuples(OPERATORS, st.sampled_from(KINDS)), max_size=3),
    first=st.booleans(),
)
def test_steps_after_a_convolution(
    axes: int, groups: int, width: int, bias: bool, begins: tuple[str, str], more: list[tuple[str, str]], first: bool
) -> None:
    steps = [begins, *more]
    draw = np.random.default_rng(width)
    channels, sizes = 2 * groups * width, [3] * axes
    x = draw.uniform(-1, 1, (2, 2 * groups, *sizes)).astype(np.float32)
    shapes = dict(zip(KINDS, ((), (channels, *[1] * axes), (3,), (2, 1, *[1] * axes)), strict=True))
    weights = {"w": draw.uniform(-1, 1, (channels, 2, *[2] * axes)).astype(np.float32)}
    if bias:
        weights["b"] = draw.uniform(-1, 1, channels).astype(np.float32)
    pads = [1] * axes + [0] * axes
    nodes = [helper.make_node("Conv", ["x", "w", *["b"] * bias], ["v0"], group=groups, pads=pads)]
    for at, (op, kind) in enumerate(steps):
        if op == "BatchNormalization":
            given_ = [f"{name}{at}" for name in ("g", "s", "m", "v_")]
            weights |= {name: draw.uniform(0.5, 2, channels).astype(np.float32) for name in given_}
            nodes.append(helper.make_node(op, [f"v{at}", *given_], [f"v{at + 1}"]))
            continue
        weights[f"k{at}"] = draw.uniform(-2, 2, shapes[kind]).astype(np.float32)
        pair = [f"k{at}", f"v{at}"] if first else [f"v{at}", f"k{at}"]
        nodes.append(helper.make_node(op, pair, [f"v{at + 1}"]))
    nodes.append(helper.make_node("Neg", [f"v{len(steps)}"], ["y"]))
    assert_same(model_of(nodes, {"x": x}, 18, weights), FoldConvScale, {"x": x}, FoldConvScale.tolerance)
