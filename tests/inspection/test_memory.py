"""The memory estimate of a model: weights are counted wherever an exporter keeps them."""

from __future__ import annotations

import pytest

from tests.models import as_ir
from webbuild.inspection.inspect import inspect
from webbuild.inspection.text import summary
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

WEBGPU = load_table(Target("1.30.0", "webgpu"))


@pytest.mark.parametrize(
    "graph",
    [
        "<float[4] w = {1, 2, 3, 4}> { y = Add (x, w) }",
        "{ w = Constant <value = float[4] {1, 2, 3, 4}> () y = Add (x, w) }",
    ],
    ids=["initializer", "constant node"],
)
def test_a_weight_is_counted_as_an_initializer_and_as_a_node(graph: str) -> None:
    text = f'<ir_version: 8, opset_import: ["" : 17]> g (float[2,4] x) => (float[2,4] y) {graph}'
    found = inspect("model", as_ir(text), WEBGPU, {})
    assert found.memory.weights == 16
    assert found.fp16 is not None
    assert found.fp16.weight_bytes == 16
    assert "16 B of weights" in summary(found)
