"""A Slice of a Concat that is exactly one operand is replaced by that operand."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.fusion.slice_of_concat import SliceOfConcat


@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    rank=st.integers(1, 4),
    data=st.data(),
)
def test_a_part_of_a_concat(sizes: list[int], rank: int, data: st.DataObject) -> None:
    axis, part = data.draw(st.integers(0, rank - 1)), data.draw(st.integers(0, len(sizes) - 1))
    perm = data.draw(st.none() | st.permutations(range(rank)))
    backwards, negative, stored = (data.draw(st.booleans()) for _ in range(3))
    parts = {
        f"x{at}": _numbers([size if each == axis else each + 2 for each in range(rank)], at)
        for at, size in enumerate(sizes)
    }
    nodes = [helper.make_node("Concat", list(parts), ["joined"], axis=axis - rank if negative else axis)]
    if perm is not None:
        nodes.append(helper.make_node("Transpose", ["joined"], ["table"], perm=list(perm)))
    along, total = axis if perm is None else list(perm).index(axis), sum(sizes)
    start, end = sum(sizes[:part]), sum(sizes[: part + 1])
    if backwards:
        start, end = start - total, 2**40 if end == total else end - total
    cut = {"start": np.array([start]), "end": np.array([end]), "axis": np.array([along - rank if negative else along])}
    nodes.append(helper.make_node("Slice", ["joined" if perm is None else "table", *cut], ["part"]))
    nodes.append(helper.make_node("Neg", ["part"], ["y"]))
    held = {name: array for name, array in parts.items() if stored and name != "x0"}
    feeds = {name: array for name, array in parts.items() if name not in held}
    assert_same(model_of(nodes, feeds, 13, {**cut, **held}), SliceOfConcat, feeds)


def _numbers(shape: list[int], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


@given(rank=st.integers(1, 3), count=st.integers(1, 4), data=st.data())
def test_one_of_a_stack(rank: int, count: int, data: st.DataObject) -> None:
    axis, place = data.draw(st.integers(0, rank)), data.draw(st.integers(-count, count - 1))
    keeps, stacked = data.draw(st.booleans()), data.draw(st.booleans())
    shape = [each + 2 for each in range(rank)]
    given_shape = shape if stacked else [*shape[:axis], 1, *shape[axis:]]
    feeds = {f"x{at}": _numbers(given_shape, at) for at in range(count)}
    held = {"axis": np.array([axis]), "place": np.array([place] if keeps else place)}
    parts = [f"p{at}" for at in range(count)]
    wrap = [
        helper.make_node("Unsqueeze", [name, "axis"], [part]) if stacked else helper.make_node("Neg", [name], [part])
        for name, part in zip(feeds, parts, strict=True)
    ]
    nodes = [
        *wrap,
        helper.make_node("Concat", parts, ["joined"], axis=axis),
        helper.make_node("Gather", ["joined", "place"], ["part"], axis=axis),
        helper.make_node("Neg", ["part"], ["y"]),
    ]
    assert_same(model_of(nodes, feeds, 13, held), SliceOfConcat, feeds)
