"""A Pow with broadcasting equals a Pow of expanded operands."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.workarounds.expand_pow_operands import ExpandPowOperands

EXPONENTS = (-2, -1.5, -0.5, 0, 0.5, 1, 1.5)
"""Not 2 and 3: if one of them applies to a whole row, native ONNX Runtime multiplies, which rounds differently."""
SIDES = st.lists(st.tuples(st.integers(1, 5), st.booleans(), st.booleans()), min_size=1, max_size=3)


@given(
    sides=SIDES,
    last=st.sampled_from((4, 8)),
    dropped=st.integers(0, 2),
    turned=st.booleans(),
    stored=st.booleans(),
    seed=st.integers(0, 99),
)
def test_a_column_beside_rows_of_four(
    sides: list[tuple[int, bool, bool]], last: int, dropped: int, turned: bool, stored: bool, seed: int
) -> None:
    many = [1 if one else size for size, one, _ in sides] + [last]
    few = [1 if one else size for size, _, one in sides] + [1]
    shapes = many, few[min(dropped, len(few) - 2) :]
    draw = np.random.default_rng(seed)
    base, exponent = reversed(shapes) if turned else shapes
    x, e = draw.uniform(0.5, 2, base).astype(np.float32), draw.choice(EXPONENTS, exponent).astype(np.float32)
    node = onnx.helper.make_node("Pow", ["x", "e"], ["y"])
    feeds, weights = ({"x": x}, {"e": e}) if stored else ({"x": x, "e": e}, {})
    assert_same(model_of([node], feeds, 17, weights), ExpandPowOperands, feeds)
