"""Large weights split into parts."""

from __future__ import annotations

import msgspec
import numpy as np
import onnx
import onnx_ir as ir
from hypothesis import given
from hypothesis import strategies as st

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.base import PassOptions, Rewrite
from webbuild.passes.limits.split_large_weights import SplitLargeWeights

helper = onnx.helper


class Small(SplitLargeWeights):
    """The pass, for devices with a tiny largest buffer."""

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        return super().apply(model, msgspec.structs.replace(options, max_binding_size=40))


@given(st.integers(1, 3), st.integers(2, 6), st.integers(2, 9), st.booleans(), st.sampled_from(("", "one", "list")))
def test_products(rows: int, inner: int, columns: int, turned: bool, added: str) -> None:
    generator = np.random.default_rng(rows * 100 + inner * 10 + columns)
    weight = generator.standard_normal((columns, inner) if turned else (inner, columns)).astype(np.float32)
    if weight.nbytes <= 40 or 40 // (4 * inner) * 7 < columns:
        return
    x = generator.standard_normal((rows, inner)).astype(np.float32)
    weights = {"w": weight}
    if added:
        weights["b"] = generator.standard_normal(columns if added == "list" else 1).astype(np.float32)
    gemm = helper.make_node("Gemm", ["x", *weights], ["y"], transB=int(turned), alpha=0.5, beta=2.0)
    assert_same(model_of([gemm], {"x": x}, 17, weights), Small, {"x": x}, 1e-6)
    if not turned:
        product = helper.make_node("MatMul", ["x", "w"], ["y"])
        assert_same(model_of([product], {"x": x}, 17, {"w": weight}), Small, {"x": x}, 1e-6)


@given(st.integers(2, 6), st.integers(2, 5), st.integers(1, 3), st.integers(0, 2), st.data())
def test_tables(rows: int, columns: int, depth: int, axis: int, data: st.DataObject) -> None:
    table = np.arange(rows * depth * columns, dtype=np.float32).reshape(rows, depth, columns)
    if table.nbytes <= 40 or 40 // (4 * rows * depth) * 7 < columns or axis == 2:
        return
    size = table.shape[axis]
    indices = np.array(data.draw(st.lists(st.integers(-size, size - 1), min_size=1, max_size=4)))
    node = helper.make_node("Gather", ["w", "i"], ["y"], axis=axis)
    assert_same(model_of([node], {"i": indices}, 17, {"w": table}), Small, {"i": indices})
