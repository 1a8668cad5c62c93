"""Data movement written as other operators."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.decompose_data_movement import DecomposeDataMovement

SCALES = st.lists(st.integers(1, 3), min_size=4, max_size=4)


def numbered(*shape: int) -> np.ndarray:
    return np.arange(1, int(np.prod(shape)) + 1, dtype=np.float32).reshape(shape)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.sampled_from((11, 13, 21)))
def test_blocks_become_channels(block: int, channels: int, rows: int, columns: int, opset: int) -> None:
    x = numbered(2, channels, rows * block, columns * block)
    node = onnx.helper.make_node("SpaceToDepth", ["x"], ["y"], blocksize=block)
    assert_same(model_of([node], {"x": x}, opset), DecomposeDataMovement, {"x": x})


@given(SCALES, st.booleans(), st.integers(0, 99))
def test_upsample_by_whole_factors(scales: list[int], in_attribute: bool, seed: int) -> None:
    x = np.random.default_rng(seed).random((2, 3, 4, 2), np.float32)
    if in_attribute:
        node = onnx.helper.make_node("Upsample", ["x"], ["y"], scales=[float(scale) for scale in scales])
        model = model_of([node], {"x": x}, 7)
    else:
        node = onnx.helper.make_node("Upsample", ["x", "scales"], ["y"])
        model = model_of([node], {"x": x}, 9, {"scales": np.array(scales, np.float32)})
    assert_same(model, DecomposeDataMovement, {"x": x})
