"""Weights that must not even be rounded: they stay float32, the others do not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_ir as ir

from tests.precision.trapped import network, searched

FINE = ", ".join(f"{1 + 1e-4 * (index % 5):.4f}" for index in range(256))
ONES = ", ".join(["1"] * 256)
DIFFERENCE = network(
    "[fine] p = MatMul (a, fine)\n [ones] q = MatMul (a, ones)\n [rest] r = Sub (p, q)\n [up] b = Mul (r, many)",
    f"float[16,16] fine = {{{FINE}}}, float[16,16] ones = {{{ONES}}}, float many = {{1000}}",
)
"""In float16 all weights of `fine` are those of `ones`."""


def test_only_the_weights_whose_rounding_is_seen_stay_float32(tmp_path: Path) -> None:
    best = searched(DIFFERENCE, tmp_path).best
    assert best is not None
    types = {name.partition("/")[0]: value.dtype for name, value in best.model.graph.initializers.items()}
    assert types["fine"] is ir.DataType.FLOAT
    assert types["weight"] is types["ones"] is ir.DataType.FLOAT16
    assert {"fine", "rest", "up"} & set(best.fp32_reasons)
    fine = best.model.graph.initializers["fine"].const_value
    assert fine is not None
    assert np.unique(fine.numpy()).size == 5
