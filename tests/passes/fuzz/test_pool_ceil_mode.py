"""Pools with ceil_mode, written without it."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.native import Session
from tests.passes.fuzz.model import model_of
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import PassOptions
from webbuild.passes.workarounds.pool_ceil_mode import PoolCeilMode


@given(
    op=st.sampled_from(("AveragePool", "MaxPool")),
    size=st.tuples(st.integers(3, 11), st.integers(3, 11)),
    kernel=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    stride=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    dilation=st.integers(1, 2),
    pads=st.lists(st.integers(0, 3), min_size=4, max_size=4),
    counted=st.booleans(),
    opset=st.sampled_from((18, 19, 21, 22)),
    seed=st.integers(0, 999),
)
def test_the_numbers_stay(
    op: str,
    size: tuple[int, int],
    kernel: tuple[int, int],
    stride: tuple[int, int],
    dilation: int,
    pads: list[int],
    counted: bool,
    opset: int,
    seed: int,
) -> None:
    assume(all(pads[axis] < kernel[axis % 2] for axis in range(4)))
    assume(all(size[a] + pads[a] + pads[a + 2] >= dilation * (kernel[a] - 1) + 1 for a in (0, 1)))
    more: dict[str, Any] = {"count_include_pad": int(counted)} if op == "AveragePool" else {}
    dilated: dict[str, Any] = {} if op == "AveragePool" and opset < 19 else {"dilations": [dilation] * 2}
    node = onnx.helper.make_node(
        op, ["x"], ["y"], kernel_shape=kernel, strides=stride, pads=pads, ceil_mode=1, **dilated, **more
    )
    x = np.random.default_rng(seed).uniform(-2, 2, (1, 2, *size)).astype(np.float32)
    model = model_of([node], {"x": x}, opset)
    want = Session(model).run({"x": x})["y"]
    patched = ir.from_proto(model)
    infer_shapes(patched)
    rewrites = PoolCeilMode().apply(patched, PassOptions())
    assert len(rewrites) == 1
    assert ("ceil_mode" in patched.graph[0].attributes) is not rewrites[0].applied
    got = Session(patched).run({"x": x})["y"]
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-6)
