"""The modules of a network, read from the names that PyTorch's exporters write."""

from __future__ import annotations

from tests.models import HEADER, as_ir
from webbuild.model.read_signature import read_signature


def test_modules_are_the_first_parts_of_the_names_of_nodes_and_weights() -> None:
    model = as_ir(f"{HEADER} m (float[4] x) => (float[4] y) {{ a = Relu (x) b = Neg (a) y = Add (b, w) }}")
    first, second, third = model.graph
    first.name, second.name, third.name = "/neck/reduction/Relu", "node_Neg_1", None
    weight = third.inputs[1]
    assert weight is not None
    weight.name = "prob_head.bias"
    model.graph.initializers.add(weight)
    assert read_signature("m.onnx", model).modules == {"neck", "prob_head"}
