"""A HardSwish with its products in any order, and near misses."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, fires, model_of
from webbuild.passes.fusion.fuse_hard_swish import FuseHardSwish

SLOPES = st.sampled_from((1 / 6, float(np.float32(1 / 6)), 0.1666667, 0.2, 0.1667))


@given(
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    form=st.sampled_from(("divided last", "divided first", "times a sixth", "hard sigmoid")),
    swaps=st.lists(st.booleans(), min_size=3, max_size=3),
    opset=st.sampled_from((11, 13, 14, 18)),
    slope=SLOPES,
    numbers=st.tuples(*(st.sampled_from((right, right, right, right + 0.5)) for right in (3.0, 0.0, 6.0, 6.0))),
    rank=st.sampled_from((0, 0, 1, 3)),
    other=st.booleans(),
)
def test_a_hard_swish(
    shape: list[int],
    form: str,
    swaps: list[bool],
    opset: int,
    slope: float,
    numbers: tuple[float, float, float, float],
    rank: int,
    other: bool,
) -> None:
    generator = np.random.default_rng(len(shape))
    x = generator.uniform(-8, 8, shape).astype(np.float32)
    x.flat[0], feeds = 3.0, {"x": x}
    if other:  # the multiplied value is not the clipped one
        feeds["z"] = generator.uniform(-8, 8, shape).astype(np.float32)
    factor = "z" if other else "x"
    shift, low, high, divisor = numbers
    weights = {
        "three": np.full([1] * rank, shift, np.float32),
        "low": np.array(low, np.float32),
        "high": np.array(high, np.float32),
        "six": np.full([1] * rank, divisor, np.float32),
        "sixth": np.full([1] * rank, slope, np.float32),
    }

    def swapped(at: int, *names: str) -> list[str]:
        return list(names[::-1] if swaps[at] else names)

    add, clip = (
        helper.make_node("Add", swapped(0, "x", "three"), ["a"]),
        helper.make_node("Clip", ["a", "low", "high"], ["c"]),
    )
    nodes = {
        "divided last": [
            *(add, clip),
            helper.make_node("Mul", swapped(1, factor, "c"), ["m"]),
            helper.make_node("Div", ["m", "six"], ["h"]),
        ],
        "divided first": [
            *(add, clip),
            helper.make_node("Div", ["c", "six"], ["d"]),
            helper.make_node("Mul", swapped(1, factor, "d"), ["h"]),
        ],
        "times a sixth": [
            *(add, clip),
            helper.make_node("Mul", swapped(2, "c", "sixth"), ["d"]),
            helper.make_node("Mul", swapped(1, factor, "d"), ["h"]),
        ],
        "hard sigmoid": [
            helper.make_node("HardSigmoid", ["x"], ["s"], alpha=slope, beta=shift / 6),
            helper.make_node("Mul", swapped(1, factor, "s"), ["h"]),
        ],
    }[form]
    model = model_of([*nodes, helper.make_node("Neg", ["h"], ["y"])], feeds, opset, weights)
    right = not other and (form == "hard sigmoid" or numbers == (3, 0, 6, 6)) and rank <= len(shape)
    if right and slope == 1 / 6 and shift == 3:
        assert fires(model, FuseHardSwish)
    assume(fires(model, FuseHardSwish))
    assert_same(model, FuseHardSwish, feeds, FuseHardSwish.tolerance)
