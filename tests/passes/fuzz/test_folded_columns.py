"""Col2Im as a ConvTranspose."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.folded_columns import FoldedColumns

PAIR = st.tuples(st.integers(1, 3), st.integers(1, 3))


@given(
    size=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    block=PAIR,
    strides=PAIR,
    dilations=PAIR,
    pads=st.tuples(*[st.integers(0, 1)] * 4),
    seed=st.integers(0, 999),
)
def test_of_any_form(
    size: tuple[int, int],
    block: tuple[int, int],
    strides: tuple[int, int],
    dilations: tuple[int, int],
    pads: tuple[int, ...],
    seed: int,
) -> None:
    room = [size[i] + pads[i] + pads[i + 2] - dilations[i] * (block[i] - 1) - 1 for i in range(2)]
    assume(min(room) >= 0)
    counts = [space // stride + 1 for space, stride in zip(room, strides, strict=True)]
    shape = (2, 3 * block[0] * block[1], counts[0] * counts[1])
    x = np.random.default_rng(seed).normal(size=shape).astype(np.float32)
    held = {"size": np.array(size), "block": np.array(block)}
    node = onnx.helper.make_node(
        "Col2Im", ["x", "size", "block"], ["y"], strides=strides, dilations=dilations, pads=pads
    )
    assert_same(model_of([node], {"x": x}, 18 + seed % 4, held), FoldedColumns, {"x": x}, 1e-6)
