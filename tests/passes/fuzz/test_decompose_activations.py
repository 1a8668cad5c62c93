"""Activations written as other operators."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.decompose_activations import DecomposeActivations

SHAPES = st.lists(st.integers(1, 4), min_size=0, max_size=4)
SLOPE = st.floats(0.125, 3.0, width=32)


def values(shape: list[int], seed: int, reach: float = 4.0) -> np.ndarray:
    """Draw values, including the integers at which piecewise activations change."""
    draw = np.random.default_rng(seed)
    x = draw.uniform(-reach, reach, shape)
    return np.where(draw.random(shape) < 0.3, np.round(x), x).astype(np.float32)


@given(st.sampled_from(("Softsign", "Sign", "Selu", "Celu", "Shrink")), SHAPES, st.integers(0, 999))
def test_with_defaults(op: str, shape: list[int], seed: int) -> None:
    x = values(shape, seed)
    assert_same(model_of([onnx.helper.make_node(op, ["x"], ["y"])], {"x": x}, 18), DecomposeActivations, {"x": x}, 1e-6)


@given(st.sampled_from(("Elu", "HardSigmoid", "HardSwish", "ThresholdedRelu", "Softsign", "Selu")), st.integers(0, 999))
def test_in_opset_22(op: str, seed: int) -> None:
    x = values([2, 3, 4], seed)
    assert_same(model_of([onnx.helper.make_node(op, ["x"], ["y"])], {"x": x}, 22), DecomposeActivations, {"x": x}, 1e-6)


@given(
    st.sampled_from(
        (
            ("Celu", "alpha", ""),
            ("Selu", "alpha", "gamma"),
            ("Shrink", "lambd", "bias"),
            ("HardSigmoid", "alpha", "beta"),
        )
    ),
    SLOPE,
    SLOPE,
    st.integers(0, 999),
)
def test_with_attributes(names: tuple[str, str, str], first: float, second: float, seed: int) -> None:
    op, one, other = names
    given_: dict[str, Any] = {one: first, **({other: second} if other else {})}
    x = values([3, 5], seed)
    model = model_of([onnx.helper.make_node(op, ["x"], ["y"], **given_)], {"x": x}, 22 if op == "HardSigmoid" else 17)
    assert_same(model, DecomposeActivations, {"x": x}, 1e-6)


@given(st.integers(0, 999))
def test_the_sign_of_whole_numbers(seed: int) -> None:
    x = np.random.default_rng(seed).integers(-3, 3, (2, 3)).astype(np.int32)
    assert_same(model_of([onnx.helper.make_node("Sign", ["x"], ["y"])], {"x": x}, 13), DecomposeActivations, {"x": x})
