"""Rearrangements written in other operators."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import assume, given
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


@given(st.lists(st.booleans(), min_size=1, max_size=6), st.sampled_from((None, 0, 1, -1)))
def test_what_a_constant_keeps(mask: list[bool], axis: int | None) -> None:
    assume(any(mask))
    x = numbered(*(6, 6) if axis is None else (6, 6)[: axis % 2] + (len(mask),) + (6,) * (1 - axis % 2))
    node = onnx.helper.make_node("Compress", ["x", "mask"], ["y"])
    if axis is not None:
        node.attribute.append(onnx.helper.make_attribute("axis", axis))
    assert_same(model_of([node], {"x": x}, 13, {"mask": np.array(mask)}), DecomposeDataMovement, {"x": x})


@given(st.integers(1, 5), st.integers(1, 4), st.booleans(), st.data())
def test_sequences_of_known_lengths(steps: int, batch: int, time_first: bool, data: st.DataObject) -> None:
    lengths = data.draw(st.lists(st.integers(1, steps), min_size=batch, max_size=batch))
    x = numbered(*((steps, batch) if time_first else (batch, steps)), 2)
    axis = 0 if time_first else 1
    node = onnx.helper.make_node("ReverseSequence", ["x", "lengths"], ["y"], time_axis=axis, batch_axis=1 - axis)
    assert_same(model_of([node], {"x": x}, 13, {"lengths": np.array(lengths)}), DecomposeDataMovement, {"x": x})


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
