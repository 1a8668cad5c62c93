"""A Loop's carried value may change its size after the first iteration."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_ir as ir

from tests.models import parsed, save
from tests.native import Session
from webbuild.model.load import load_onnx
from webbuild.passes.base import PassOptions
from webbuild.passes.lower import lower

GROWING = """<ir_version: 8, opset_import: ["" : 17]>
g (float[4,2] x) => (float[4,2] y) <int64 rounds = {4}, bool start = {1}, float[0,2] empty = {}, int64[1] none = {0},
  int64[1] end = {1000}>
{
  m = ReduceMax <keepdims = 0> (x)
  first = Cast <to = 7> (m)
  zero = Sub (first, first)
  count = Add (rounds, zero)
  y = Loop (count, start, empty) <body = step (int64 i, bool go, float[0,2] list) => (bool on, float[more,2] longer) {
    row = Gather (x, i)
    line = Unsqueeze (row, none)
    longer = Concat <axis = 0> (list, line)
    on = Identity (go)
  }>
}"""


def state_shape(model: ir.Model) -> list[int | str | None]:
    (loop,) = (node for node in model.graph if node.op_type == "Loop")
    shape = loop.attributes["body"].as_graph().inputs[2].shape
    assert shape is not None
    return [dim if isinstance(dim, int) else dim.value for dim in shape.dims]


def test_a_list_that_is_declared_empty_is_free_to_grow(tmp_path: Path) -> None:
    source = load_onnx(save(parsed(GROWING), tmp_path / "growing.onnx"))
    assert state_shape(source.model) == [None, 2]


def test_no_pass_takes_such_a_list_for_empty(tmp_path: Path) -> None:
    source = load_onnx(save(parsed(GROWING), tmp_path / "growing.onnx"))
    x = np.arange(8, dtype=np.float32).reshape(4, 2)
    patched = lower(source.model, PassOptions()).graphs["wasm"]
    np.testing.assert_array_equal(Session(patched).run({"x": x})["y"], x)
