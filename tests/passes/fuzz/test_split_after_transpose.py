"""Parts of a tensor that are all transposed alike: one Transpose and a Split give the same."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import NodeProto, helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.fusion.split_after_transpose import SplitAfterTranspose


@given(
    sizes=st.lists(st.integers(2, 3), min_size=2, max_size=5),
    rank=st.integers(3, 4),
    cut=st.sampled_from(("Slice", "Split", "Gather")),
    data=st.data(),
)
def test_parts_that_are_transposed(sizes: list[int], rank: int, cut: str, data: st.DataObject) -> None:
    sizes = [1] * len(sizes) if cut == "Gather" else sizes
    axis = data.draw(st.integers(0, rank - 1))
    x = _numbers([sum(sizes) if each == axis else each + 2 for each in range(rank)])
    weights: dict[str, np.ndarray] = {"axis": np.array([axis])}
    nodes, kept = _parts(cut, axis, sizes, weights), rank - (cut == "Gather")
    # two axes with more than one element each change places, otherwise the Transpose is a no-op
    here = data.draw(st.integers(0, kept - 2))
    perm = [*range(here), here + 1, here, *range(here + 2, kept)]
    for at in range(len(sizes)):
        nodes.append(helper.make_node("Transpose", [f"p{at}"], [f"t{at}"], perm=perm))
        nodes.append(helper.make_node("Neg", [f"t{at}"], [f"n{at}"]))
        nodes.append(helper.make_node("Flatten", [f"n{at}"], [f"f{at}"], axis=0))
    nodes.append(helper.make_node("Concat", [f"f{at}" for at in range(len(sizes))], ["y"], axis=1))
    assert_same(model_of(nodes, {"x": x}, 13, weights), SplitAfterTranspose, {"x": x})


def _parts(cut: str, axis: int, sizes: list[int], weights: dict[str, np.ndarray]) -> list[NodeProto]:
    names = [f"p{at}" for at in range(len(sizes))]
    if cut == "Split":
        weights["sizes"] = np.array(sizes)
        return [helper.make_node("Split", ["x", "sizes"], names, axis=axis)]
    ends, nodes = np.cumsum(sizes), list[NodeProto]()
    for at, (name, end, size) in enumerate(zip(names, ends, sizes, strict=True)):
        weights |= {f"start{at}": np.array([end - size]), f"end{at}": np.array([end]), f"at{at}": np.array(end - 1)}
        if cut == "Gather":
            nodes.append(helper.make_node("Gather", ["x", f"at{at}"], [name], axis=axis))
        else:
            nodes.append(helper.make_node("Slice", ["x", f"start{at}", f"end{at}", "axis"], [name]))
    return nodes


def _numbers(shape: list[int]) -> np.ndarray:
    return np.random.default_rng(len(shape)).uniform(-1, 1, shape).astype(np.float32)
