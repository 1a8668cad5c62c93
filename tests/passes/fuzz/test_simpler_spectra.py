"""STFT as a Conv."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.simpler_spectra import SimplerSpectra


@given(
    batch=st.integers(1, 3),
    size=st.integers(2, 40),
    step=st.integers(1, 20),
    more=st.integers(0, 50),
    windowed=st.booleans(),
    onesided=st.booleans(),
    flat=st.booleans(),
    seed=st.integers(0, 999),
)
def test_of_any_form(
    batch: int, size: int, step: int, more: int, windowed: bool, onesided: bool, flat: bool, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    shape = (batch, size + more) if flat else (batch, size + more, 1)
    x = draw.normal(size=shape).astype(np.float32)
    weights = {"step": np.array(step), "length": np.array(size)}
    if windowed:
        weights["window"] = draw.random(size, np.float32)
    names = ["x", "step", "window" if windowed else "", "length"]
    attributes: dict[str, Any] = {} if onesided and flat else {"onesided": int(onesided)}
    node = onnx.helper.make_node("STFT", names, ["y"], **attributes)
    assert_same(model_of([node], {"x": x}, 17, weights), SimplerSpectra, {"x": x}, 1e-4)
