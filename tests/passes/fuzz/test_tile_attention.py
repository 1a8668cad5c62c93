"""Attention whose scores are computed a few rows at a time."""

from __future__ import annotations

import msgspec
import numpy as np
import onnx
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.base import PassOptions, Rewrite
from webbuild.passes.limits.tile_attention import TileAttention

node = onnx.helper.make_node


def on_devices_that_bind(least: int) -> type[TileAttention]:
    """Return the pass, for devices with a tiny largest buffer."""

    class Small(TileAttention):
        def apply(self, model: onnx.ModelProto, options: PassOptions) -> list[Rewrite]:  # type: ignore[override]
            return super().apply(model, msgspec.structs.replace(options, max_binding_size=least))  # type: ignore[arg-type]

    return Small


@given(
    st.lists(st.integers(1, 3), max_size=2),
    st.integers(2, 40),
    st.integers(2, 6),
    st.sampled_from(("Sigmoid", "Softmax", "LogSoftmax", "Reshape")),
    st.sampled_from(((), (1,), (-1,), (1, -1), (-2, 1), (-2, -1))),
    st.integers(1, 40),
    st.sampled_from((11, 13, 18)),
)
def test_rows(
    heads: list[int], rows: int, columns: int, kind: str, added: tuple[int, ...], held: int, opset: int
) -> None:
    """`added` is the shape of what is added to the scores: -2 for the rows, -1 for the columns."""
    held = min(held, rows - 1)
    if held * 64 < rows:
        return
    generator = np.random.default_rng(rows * 10 + columns)
    shape = [{-2: rows, -1: columns}.get(size, size) for size in added]
    feeds = {
        "q": generator.standard_normal((*heads, rows, 3)),
        "k": generator.standard_normal((*heads, 3, columns)),
        "m": generator.standard_normal(shape),
        "v": generator.standard_normal((columns, 1)),
    }
    feeds = {name: array.astype(np.float32) for name, array in feeds.items()}
    whole = np.array([1, *heads, rows, columns], np.int64)
    middle = node("Reshape", ["more", "shape"], ["shares"]) if kind == "Reshape" else node(kind, ["more"], ["shares"])
    if kind.endswith("Softmax"):
        middle.attribute.append(onnx.helper.make_attribute("axis", len(heads) + 1))
    nodes = [
        node("MatMul", ["q", "k"], ["scores"]),
        node("Add", ["scores", "m"], ["more"]),
        middle,
        node("MatMul", ["shares", "v"], ["y"]),
    ]
    weights = {"shape": whole} if kind == "Reshape" else {}
    least = 4 * int(np.prod(heads)) * columns * held
    if least < 4 * int(np.prod(heads)) * rows:  # the output is as large as the tiled scores
        return
    assert_same(model_of(nodes, feeds, opset, weights), on_devices_that_bind(least), feeds, 1e-6)
