"""Shapes that depend on values: reshapes by sizes that a graph computes."""

from __future__ import annotations

import onnx_ir as ir
import pytest

from tests.models import HEADER, parsed
from webbuild.model.inferred_shapes import add_inferred_shapes


def rolled(times: int) -> str:
    """Return a graph that rolls a map this many times, as Swin shifts windows, then flattens it by its sizes."""
    rolls = [
        f"a{i} = Slice (r{i}, one, end, axis) b{i} = Slice (r{i}, none, one, axis) "
        f"r{i + 1} = Concat <axis = 1> (a{i}, b{i})"
        for i in range(times)
    ]
    return f"""{HEADER} g (float[1,8,8,4] x) => (float[n,c] y)
    <int64[1] none = {{0}}, int64[1] one = {{1}}, int64[1] end = {{8}}, int64[1] axis = {{1}}, int64[1] all = {{-1}},
     int64 last = {{3}}, int64[1] front = {{0}}>
    {{ r0 = Identity (x) {" ".join(rolls)} s = Shape (r{times}) c = Gather (s, last) u = Unsqueeze (c, front)
       f = Concat <axis = 0> (all, u) y = Reshape (r{times}, f) }}"""


@pytest.mark.parametrize("times", [1, 40])
def test_sizes_are_followed_however_often_a_map_is_put_together(times: int) -> None:
    model = ir.serde.deserialize_model(parsed(rolled(times)))
    add_inferred_shapes(model)
    (shape,) = [value.shape for value in model.graph.outputs]
    assert shape is not None
    assert list(shape)[1] == 4


def test_a_spectrum_is_onesided_by_default() -> None:
    graph = f"""{HEADER} g (float[1,64] x) => (float[b,frames,bins,2] y)
    <int64 step = {{8}}, float[16] window = {{{", ".join(["1"] * 16)}}}> {{ y = STFT (x, step, window) }}"""
    model = ir.serde.deserialize_model(parsed(graph))
    add_inferred_shapes(model)
    assert model.graph.outputs[0].shape == (1, 7, 9, 2)


@pytest.mark.parametrize(("outputs", "known"), [("y, index", 2), ("y, index, sum", 3)])
def test_the_embeddings_of_a_text_encoder_have_a_shape(outputs: str, known: int) -> None:
    graph = f"""<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
    g (int32[1,12] ids, float[20,8] words, float[16,8] places, float[8] scale, float[8] bias, int32[1,12] mask)
    => (float[b,tokens,c] y) {{
        {outputs} = com.microsoft.EmbedLayerNormalization (ids, "", words, places, "", scale, bias, mask)
    }}"""
    model = ir.serde.deserialize_model(parsed(graph))
    add_inferred_shapes(model)
    (node,) = model.graph
    shapes = [(1, 12, 8), (1,), (1, 12, 8)][:known]
    assert [value.shape for value in node.outputs] == shapes
    assert node.outputs[1].dtype == ir.DataType.INT32
