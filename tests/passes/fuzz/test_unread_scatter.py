"""Rows written one after another, then a part of them: only the writes that the part does not read are removed."""

from __future__ import annotations

import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, fires, model_of
from webbuild.passes.simplify.unread_scatter import UnreadScatter


@given(rows=st.integers(1, 5), data=st.data())
def test_any_rows_then_any_slice(rows: int, data: st.DataObject) -> None:
    written = data.draw(st.lists(st.integers(-rows, rows - 1), min_size=1, max_size=4))
    start = data.draw(st.integers(-rows, rows - 1))
    end = data.draw(st.integers(start + 1, rows + 2))
    feeds = {"x": np.random.default_rng(0).standard_normal((1, 3)).astype(np.float32)}
    weights = {"rows": np.zeros((rows, 3), np.float32), "start": np.array([start]), "end": np.array([end])}
    nodes, value = [], "rows"
    for number, row in enumerate(written):
        weights |= {f"index{number}": np.array([[row]]), f"factor{number}": np.array(number + 2, np.float32)}
        nodes += [
            onnx.helper.make_node("Mul", ["x", f"factor{number}"], [f"updates{number}"]),
            onnx.helper.make_node("ScatterND", [value, f"index{number}", f"updates{number}"], [f"rows{number}"]),
        ]
        value = f"rows{number}"
    nodes.append(onnx.helper.make_node("Slice", [value, "start", "end"], ["y"]))
    model = model_of(nodes, feeds, 18, weights)
    assert fires(model, UnreadScatter) or start < 0 or written[-1] < 0 or written[-1] in range(start, end)
    if fires(model, UnreadScatter):
        assert_same(model, UnreadScatter, feeds)
