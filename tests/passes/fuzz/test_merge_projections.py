"""Attention projections with any number and size of heads, as one product."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from tests.passes.fuzz.model import assert_same, model_of
from webbuild.passes.fusion.merge_projections import MergeProjections


@given(
    count=st.integers(3, 7),
    heads=st.integers(1, 3),
    size=st.integers(1, 4),
    tokens=st.integers(1, 5),
    keys=st.sets(st.integers(0, 2)),
    flags=st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
def test_projections(
    count: int, heads: int, size: int, tokens: int, keys: set[int], flags: tuple[bool, bool, bool]
) -> None:
    biased, first, flat = flags
    draw = np.random.default_rng(count)
    x = draw.uniform(-1, 1, (2, tokens, 3)).astype(np.float32)
    weights = {"heads": np.array([2, tokens, heads, size])}
    nodes, results = [], []
    for part in range(count):
        weights[f"w{part}"] = draw.uniform(-1, 1, (3, heads * size)).astype(np.float32)
        weights[f"b{part}"] = draw.uniform(-1, 1, heads * size).astype(np.float32)
        nodes.append(helper.make_node("MatMul", ["x", f"w{part}"], [f"m{part}"]))
        end = f"m{part}"
        if biased:
            end = f"a{part}"
            nodes.append(
                helper.make_node("Add", [f"b{part}", f"m{part}"] if first else [f"m{part}", f"b{part}"], [end])
            )
        if not flat:
            nodes.append(helper.make_node("Reshape", [end, "heads"], [f"r{part}"]))
            perm = [0, 2, 3, 1] if part in keys else [0, 2, 1, 3]
            nodes.append(helper.make_node("Transpose", [f"r{part}"], [f"t{part}"], perm=perm))
            end = f"t{part}"
        nodes.append(helper.make_node("Flatten", [end], [f"f{part}"]))
        results.append(f"f{part}")
    nodes.append(helper.make_node("Concat", results, ["y"], axis=1))
    assert_same(model_of(nodes, {"x": x}, 18, weights), MergeProjections, {"x": x}, MergeProjections.tolerance)
