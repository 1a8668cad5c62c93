"""Chains of data movement operators folded into one: the same elements in the same places."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import NodeProto, helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.fusion.fold_data_movement import FoldDataMovement

_PERMS = ((0, 1, 2, 3), (0, 2, 1, 3), (1, 0, 2, 3), (2, 1, 0, 3), (1, 2, 0, 3))


@given(
    shape=st.tuples(*[st.integers(1, 4)] * 3, st.sampled_from((8, 16))),
    steps=st.lists(
        st.tuples(st.sampled_from(("Transpose", "Roll", "Split", "Reshape")), st.integers(0, 4)), max_size=4
    ),
)
def test_chains_of_movement(shape: tuple[int, ...], steps: list[tuple[str, int]]) -> None:
    x = np.random.default_rng(len(steps)).uniform(-1, 1, shape).astype(np.float32)
    nodes = [helper.make_node("Neg", ["x"], ["v"])]
    weights = {"zero": np.array([0]), "end": np.array([2**40])}
    sizes, value = list(shape), "v"
    for at, (op, choice) in enumerate([("Transpose", 2), *steps, ("Transpose", 2)]):
        added, sizes = _step(op, choice, value, f"v{at}", sizes, weights)
        nodes += added
        value = f"v{at}" if added else value
    nodes.append(helper.make_node("Abs", [value], ["y"]))
    assert_same(model_of(nodes, {"x": x}, 18, weights), FoldDataMovement, {"x": x})


def _step(
    op: str, choice: int, value: str, result: str, sizes: list[int], weights: dict[str, np.ndarray]
) -> tuple[list[NodeProto], list[int]]:
    """Return nodes that move rows, and the sizes after them; the last axis stays."""
    axis = choice % 3
    if op == "Transpose":
        perm = _PERMS[choice]
        return [helper.make_node("Transpose", [value], [result], perm=perm)], [sizes[place] for place in perm]
    if op == "Reshape":
        sizes = [*sizes[1:3], sizes[0], sizes[3]]
        weights[f"to_{result}"] = np.array(sizes)
        return [helper.make_node("Reshape", [value, f"to_{result}"], [result])], sizes
    if sizes[axis] == 1:
        return [], sizes
    weights |= {f"axis_{result}": np.array([axis]), f"sizes_{result}": np.array([1, sizes[axis] - 1])}
    first, rest = f"{result}_first", f"{result}_rest"
    split = helper.make_node("Split", [value, f"sizes_{result}"], [first, rest], axis=axis)
    if op == "Split":
        cut = helper.make_node("Slice", [rest, "zero", "end", f"axis_{result}"], [result])
        return [split, cut], [*sizes[:axis], sizes[axis] - 1, *sizes[axis + 1 :]]
    return [split, helper.make_node("Concat", [rest, first], [result], axis=axis)], sizes
