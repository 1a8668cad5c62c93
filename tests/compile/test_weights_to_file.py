"""Weights that passes computed are moved from memory to a file, and stay shared."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from tests.mapped import is_mapped
from webbuild.compile.weights_to_file import weights_to_file

WEIGHT = np.random.default_rng(0).standard_normal((1024, 512)).astype(np.float32)


def model_of(tensors: dict[str, ir.TensorProtocol]) -> ir.Model:
    values = [ir.Value(name=name, const_value=tensor) for name, tensor in tensors.items()]
    return ir.Model(ir.Graph([], [], nodes=[], initializers=values, opset_imports={"": 18}), ir_version=10)


def test_large_weights_are_in_a_file_and_shared_ones_once() -> None:
    shared, small = ir.tensor(WEIGHT, name="w"), ir.tensor(np.ones(3, np.float32), name="small")
    models = [model_of({"w": shared, "small": small}), model_of({"w": shared, "own": ir.tensor(WEIGHT * 2)})]
    weights_to_file(models)
    first, second = (model.graph.initializers for model in models)
    assert first["w"].const_value is second["w"].const_value
    assert first["small"].const_value is small
    for value, want in ((first["w"], WEIGHT), (second["own"], WEIGHT * 2)):
        assert value.const_value is not None
        array = value.const_value.numpy()
        np.testing.assert_array_equal(array, want, strict=True)
        assert is_mapped(array)
        assert value.const_value.tobytes() == want.tobytes()
