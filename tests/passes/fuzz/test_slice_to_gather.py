"""A Slice with a negative step takes the same elements as a Gather, for any start and end."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.workarounds.slice_to_gather import SliceToGather


@st.composite
def cuts(draw: st.DrawFn, *, wrong: bool) -> tuple[int, int, int, int]:
    """Return size, start, end and step of an axis; `wrong` ones run backwards from inside."""
    size = draw(st.integers(2, 9))
    if wrong or draw(st.booleans()):
        start = draw(st.integers(0, size - 2 if wrong else size + 3))
        end = draw(st.one_of(st.just(-(2**63) + 1), st.integers(-size - 1, min(start, size - 1) - size - 1)))
        return size, start - size if draw(st.booleans()) and start < size else start, end, -draw(st.integers(1, 3))
    start = draw(st.integers(0, size - 1))
    return size, start, draw(st.sampled_from((start + 1, size, 2**63 - 1))), draw(st.integers(1, 3))


@given(st.lists(cuts(wrong=False), max_size=2), cuts(wrong=True), st.integers(0, 2))
def test_a_slice_of_some_axes(
    others: list[tuple[int, int, int, int]], backwards: tuple[int, int, int, int], place: int
) -> None:
    rows = [*others[:place], backwards, *others[place:]]
    sizes, starts, ends, steps = zip(*rows, strict=True)
    x = np.arange(1, 1 + np.prod(sizes), dtype=np.float32).reshape(sizes)
    held = {"starts": np.array(starts), "ends": np.array(ends), "axes": np.arange(len(rows)), "steps": np.array(steps)}
    nodes = [onnx.helper.make_node("Slice", ["x", *held], ["y"])]
    assert_same(model_of(nodes, {"x": x}, 17, held), SliceToGather, {"x": x})
