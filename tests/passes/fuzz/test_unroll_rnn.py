"""RNN written out step by step."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.decompose.unroll_rnn import UnrollRnn


@given(
    sizes=st.tuples(st.integers(1, 6), st.integers(1, 3), st.integers(1, 4), st.integers(1, 4)),
    direction=st.sampled_from(("forward", "reverse", "bidirectional")),
    activation=st.sampled_from(("Tanh", "Relu", "Sigmoid")),
    biased=st.booleans(),
    begun=st.booleans(),
    last=st.booleans(),
    seed=st.integers(0, 999),
)
def test_of_any_form(
    sizes: tuple[int, int, int, int],
    direction: str,
    activation: str,
    biased: bool,
    begun: bool,
    last: bool,
    seed: int,
) -> None:
    steps, batch, inputs, hidden = sizes
    ways, draw = 2 if direction == "bidirectional" else 1, np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "x": (steps, batch, inputs),
        "w": (ways, hidden, inputs),
        "r": (ways, hidden, hidden),
    }
    shapes |= {"b": (ways, 2 * hidden)} if biased else {}
    shapes |= {"h": (ways, batch, hidden)} if begun else {}
    feeds = {name: draw.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}
    node = onnx.helper.make_node(
        "RNN",
        ["x", "w", "r", "b" if biased else "", "", "h" if begun else ""],
        ["", "y"] if last else ["y"],
        hidden_size=hidden,
        direction=direction,
        activations=[activation] * ways,
    )
    assert_same(model_of([node], feeds, 14 + seed % 2 * 8), UnrollRnn, feeds, 1e-5)
