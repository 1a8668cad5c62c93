"""Weights that must not be rounded stay float32, the others become float16."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_ir as ir

from tests.precision.trapped import network, search_in, searched

FINE = ", ".join(f"{1 + 1e-4 * (index % 5):.4f}" for index in range(256))
ONES = ", ".join(["1"] * 256)
DIFFERENCE = network(
    "[fine] p = MatMul (a, fine)\n [ones] q = MatMul (a, ones)\n [rest] r = Sub (p, q)\n [up] b = Mul (r, many)",
    f"float[16,16] fine = {{{FINE}}}, float[16,16] ones = {{{ONES}}}, float many = {{1000}}",
)
"""In float16 all weights of `fine` equal those of `ones`."""


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


SMALL = network(
    "[moved] r = Reshape (a, shape)\n [scaled] s = Mul (r, factors)\n [heavy] b = MatMul (s, square)",
    f"int64[2] shape = {{4, 16}}, float[16] factors = {{{', '.join(['2'] * 16)}}}, float[16,16] square = {{{ONES}}}",
)


def test_only_weights_that_would_be_rounded_are_searched(tmp_path: Path) -> None:
    assert search_in(SMALL, tmp_path)._weighty_nodes() == ["before", "heavy", "behind", "last"]


def test_the_same_graph_is_not_evaluated_twice(tmp_path: Path) -> None:
    search = search_in(SMALL, tmp_path)
    search._float32_weights = ["before", "heavy"]
    first = search._is_accurate(["behind", "last"])
    search._float32_weights = ["heavy", "before"]
    assert search._is_accurate(["last", "behind"]) is first is not None
    assert len(search._evaluations) == 1
