"""Pools written in other operators."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.decompose_pools import DecomposePools


@given(
    p=st.integers(1, 4),
    size=st.tuples(st.integers(2, 6), st.integers(2, 6)),
    kernel=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    stride=st.integers(1, 3),
    pads=st.lists(st.integers(0, 2), min_size=4, max_size=4),
    opset=st.sampled_from((11, 13, 18, 21, 22)),
    seed=st.integers(0, 999),
)
def test_norms_of_windows(
    p: int, size: tuple[int, int], kernel: tuple[int, int], stride: int, pads: list[int], opset: int, seed: int
) -> None:
    assume(all(pads[axis] < kernel[axis % 2] for axis in range(4)))
    assume(all(size[axis] + pads[axis] + pads[axis + 2] >= kernel[axis] for axis in (0, 1)))
    x = np.random.default_rng(seed).uniform(-2, 2, (1, 2, *size)).astype(np.float32)
    node = onnx.helper.make_node("LpPool", ["x"], ["y"], p=p, kernel_shape=kernel, strides=[stride, stride], pads=pads)
    assert_same(model_of([node], {"x": x}, opset), DecomposePools, {"x": x}, 1e-5)


@given(st.integers(1, 4), st.lists(st.integers(1, 4), min_size=1, max_size=3), st.integers(0, 999))
def test_norms_of_everything(p: int, space: list[int], seed: int) -> None:
    x = np.random.default_rng(seed).uniform(-2, 2, (2, 3, *space)).astype(np.float32)
    node = onnx.helper.make_node("GlobalLpPool", ["x"], ["y"], p=p)
    assert_same(model_of([node], {"x": x}, 17), DecomposePools, {"x": x}, 1e-5)


@given(st.sampled_from(("GlobalAveragePool", "GlobalMaxPool")), st.integers(22, 25), st.integers(0, 999))
def test_pools_of_everything_in_opset_22(op: str, opset: int, seed: int) -> None:
    x = np.random.default_rng(seed).uniform(-2, 2, (2, 3, 5, 4)).astype(np.float32)
    assert_same(model_of([onnx.helper.make_node(op, ["x"], ["y"])], {"x": x}, opset), DecomposePools, {"x": x}, 1e-5)
