"""Round and Mod written as Floor, Div and comparisons."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.decompose_rounding import DecomposeRounding

FLOATS = arrays(
    np.float32,
    8,
    elements=st.one_of(
        st.floats(-1e9, 1e9, width=32), st.integers(-99, 99).map(lambda n: n / 2), st.floats(-1.0, 1.0, width=32)
    ),
)


@given(FLOATS, st.sampled_from((11, 17, 21, 22)))
def test_halves_go_to_the_even_neighbour(x: np.ndarray, opset: int) -> None:
    assert_same(model_of([onnx.helper.make_node("Round", ["x"], ["y"])], {"x": x}, opset), DecomposeRounding, {"x": x})


@given(
    arrays(np.int32, 8, elements=st.integers(-(2**31) + 1, 2**31 - 1)),
    st.lists(st.integers(-1000, 1000).filter(bool), min_size=1, max_size=1),
    st.booleans(),
)
def test_the_remainder_of_whole_numbers(x: np.ndarray, divisor: list[int], fmod: bool) -> None:
    node = onnx.helper.make_node("Mod", ["x", "d"], ["y"], fmod=int(fmod))
    model = model_of([node], {"x": x}, 13, {"d": np.array(divisor, np.int32)})
    assert_same(model, DecomposeRounding, {"x": x})


@given(FLOATS, st.sampled_from((0.25, 1.0, -2.0, 64.0)))
def test_the_remainder_of_a_division_by_a_power_of_two(x: np.ndarray, divisor: float) -> None:
    node = onnx.helper.make_node("Mod", ["x", "d"], ["y"], fmod=1)
    assert_same(model_of([node], {"x": x}, 13, {"d": np.array(divisor, np.float32)}), DecomposeRounding, {"x": x})


@given(
    st.sampled_from((np.int32, np.uint32, np.uint8)),
    st.integers(0, 999),
    st.booleans(),
)
def test_the_remainder_by_what_is_computed(kind: type, seed: int, fmod: bool) -> None:
    draw, most = np.random.default_rng(seed), 255 if kind is np.uint8 else 100_000
    least = -most if kind is np.int32 else 0
    feeds: dict[str, np.ndarray] = {
        "x": draw.integers(least, most, 8).astype(kind),
        "d": draw.integers(1, most, 8).astype(kind),
    }
    if kind is np.int32:
        feeds["d"] *= draw.choice([-1, 1], 8).astype(np.int32)
    node = onnx.helper.make_node("Mod", ["x", "d"], ["y"], fmod=int(fmod))
    assert_same(model_of([node], feeds, 13), DecomposeRounding, feeds)
