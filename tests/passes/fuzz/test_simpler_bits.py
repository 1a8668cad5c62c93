"""Shifts and bits of whole numbers by arithmetic."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.simpler_bits import SimplerBits

JOINS = ("BitwiseAnd", "BitwiseOr", "BitwiseXor")
SHAPES = (((3, 4), (3, 4)), ((2, 1, 5), (4, 1)), ((6,), ()), ((), (1,)))


@given(
    st.sampled_from(JOINS), st.sampled_from((np.int32, np.uint32, np.uint8)), st.sampled_from(SHAPES), st.integers(0)
)
def test_bits_are_joined(op: str, kind: type, shapes: tuple[tuple[int, ...], tuple[int, ...]], seed: int) -> None:
    feeds = {name: whole(kind, shape, seed + at) for at, (name, shape) in enumerate(zip("ab", shapes, strict=True))}
    assert_same(model_of([onnx.helper.make_node(op, ["a", "b"], ["y"])], feeds, 18), SimplerBits, feeds)


@given(st.sampled_from((np.int32, np.uint32, np.uint8)), st.integers(0))
def test_bits_are_turned(kind: type, seed: int) -> None:
    feeds = {"x": whole(kind, (7,), seed)}
    assert_same(model_of([onnx.helper.make_node("BitwiseNot", ["x"], ["y"])], feeds, 18), SimplerBits, feeds)


@given(st.sampled_from((np.uint32, np.uint8)), st.sampled_from(("LEFT", "RIGHT")), st.integers(0))
def test_bits_are_shifted(kind: type, direction: str, seed: int) -> None:
    by: np.ndarray = np.random.default_rng(seed).integers(0, 8 * np.dtype(kind).itemsize, (5,)).astype(kind)
    feeds = {"x": whole(kind, (2, 5), seed), "by": by}
    node = onnx.helper.make_node("BitShift", ["x", "by"], ["y"], direction=direction)
    assert_same(model_of([node], feeds, 17), SimplerBits, feeds)


def whole(kind: type, shape: tuple[int, ...], seed: int) -> np.ndarray:
    limits = np.iinfo(kind)
    drawn = np.random.default_rng(seed).integers(limits.min, limits.max, shape, endpoint=True)
    return np.asarray(drawn).astype(kind)
