"""Gather from an int64 table by computed indices: any axis and rank, negative indices, tables of one number."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, fires, model_of
from webbuild.passes.dtypes.int32_tables import Int32Tables

EDGES = st.sampled_from((0, 1, -1, 2**31 - 1, -(2**31) + 1, -(2**31), 2**31, 2**40, -(2**63), 2**63 - 1))


@given(
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    places=st.lists(st.integers(1, 3), max_size=3),
    kind=st.sampled_from((np.int32, np.int64)),
    read_twice=st.booleans(),
    data=st.data(),
)
def test_every_number_stays(
    shape: list[int], places: list[int], kind: type[np.generic], read_twice: bool, data: st.DataObject
) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    generator = np.random.default_rng(sum(shape))
    table = generator.integers(-(2**31) + 1, 2**31, shape)
    table.flat[0] = data.draw(EDGES)
    index = generator.integers(-shape[axis], shape[axis], places).astype(kind)
    nodes = [
        helper.make_node("Identity", ["index"], ["places"]),
        helper.make_node("Gather", ["table", "places"], ["taken"], axis=axis),
        helper.make_node("Add", ["taken", "taken"], ["y"]),
    ]
    if read_twice:
        nodes[-1:] = [
            helper.make_node("Gather", ["table", "index"], ["again"], axis=axis),
            helper.make_node("Sub", ["taken", "again"], ["y"]),
        ]
    model = model_of(nodes, {"index": index}, 17, {"table": table})
    fits = np.abs(table.astype(np.float64)).max() < 2**31
    assert fires(model, Int32Tables) == fits
    assume(fits)
    assert_same(model, Int32Tables, {"index": index})
