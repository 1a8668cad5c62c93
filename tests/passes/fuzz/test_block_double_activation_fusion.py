"""A Max between two activations changes no number."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.workarounds.block_double_activation_fusion import FUSABLE_ACTIVATIONS, BlockDoubleActivationFusion

SIMPLE = [op for op in FUSABLE_ACTIVATIONS if op not in ("Gelu", "QuickGelu")]


@given(
    first=st.sampled_from((*SIMPLE, "SiLU")),
    second=st.sampled_from((*SIMPLE, "SiLU")),
    bounds=st.sampled_from(((), (-0.5,), (-0.5, 0.75), (0.25, 0.5), (1.0, -1.0))),
    alpha=st.floats(-2, 2, width=32),
    channels=st.integers(1, 9),
    opset=st.sampled_from((14, 17, 21)),
    seed=st.integers(0, 999),
)
def test_the_least_value_bounds_nothing(
    first: str, second: str, bounds: tuple[float, ...], alpha: float, channels: int, opset: int, seed: int
) -> None:
    draw, node = np.random.default_rng(seed), onnx.helper.make_node
    x = (draw.standard_normal((1, channels, 4, 3)) * 3).astype(np.float32)
    held = {"w": draw.standard_normal((channels, channels, 1, 1)).astype(np.float32)}
    held |= {f"bound{index}": np.array(bound, np.float32) for index, bound in enumerate(bounds)}
    limits = [f"bound{index}" for index in range(len(bounds))]

    def activation(op: str, value: str, out: str) -> list[onnx.NodeProto]:
        if op == "SiLU":
            return [node("Sigmoid", [value], [f"s{out}"]), node("Mul", [value, f"s{out}"], [out])]
        if op in ("LeakyRelu", "HardSigmoid"):
            return [node(op, [value], [out], alpha=alpha)]
        return [node(op, [value, *(limits if op == "Clip" else [])], [out])]

    nodes = [node("Conv", ["x", "w"], ["a"]), *activation(first, "a", "b"), *activation(second, "b", "y")]
    # The CPU's kernels process four or eight numbers at a time, and round the remaining ones differently.
    assert_same(model_of(nodes, {"x": x}, opset, held), BlockDoubleActivationFusion, {"x": x}, 1e-6)
