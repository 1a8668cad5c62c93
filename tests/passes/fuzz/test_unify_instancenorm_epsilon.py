"""InstanceNormalization with the default epsilon and a scaled input."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.workarounds.unify_instancenorm_epsilon import UnifyInstanceNormEpsilon

SIZE = st.integers(1, 5)


@given(
    st.tuples(SIZE, SIZE, SIZE, SIZE),
    st.sampled_from((1e-12, 1e-8, 1e-6, 1e-3, 0.01, 0.5, 3.0)),
    st.sampled_from((0.01, 1.0, 30.0)),
    st.integers(0, 999),
)
def test_any_epsilon(shape: tuple[int, ...], epsilon: float, reach: float, seed: int) -> None:
    draw = np.random.default_rng(seed)
    x = (draw.normal(size=shape) * reach).astype(np.float32)
    spread = np.ptp(x, axis=(2, 3))
    assume(((spread == 0) | (spread > 0.02 * reach)).all())  # values next to each other: rounding the input decides
    held = {name: draw.normal(size=shape[1]).astype(np.float32) for name in ("s", "b")}
    node = onnx.helper.make_node("InstanceNormalization", ["x", "s", "b"], ["y"], epsilon=epsilon)
    assert_same(model_of([node], {"x": x}, 17, held), UnifyInstanceNormEpsilon, {"x": x}, 1e-5)
