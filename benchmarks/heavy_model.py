"""A model with large external weights: a chain of products with square matrices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

_SIDE = 4096
_BYTES = _SIDE * _SIDE * 4


def write(path: Path, megabytes: int) -> int:
    """Write a model with at least this many megabytes of weights, one matrix at a time; return their bytes."""
    data = path.with_suffix(".data")
    count = -(-megabytes * 1_000_000 // _BYTES)
    generator = np.random.default_rng(0)
    weights, nodes, value = [], [], "x"
    with data.open("wb") as file:
        for index in range(count):
            matrix = generator.standard_normal((_SIDE, _SIDE), np.float32) * np.float32(_SIDE**-0.5)
            file.write(matrix.tobytes())
            weights.append(_external(f"w{index}", data.name, index * _BYTES))
            nodes.append(helper.make_node("MatMul", [value, f"w{index}"], [f"p{index}"], name=f"/product{index}"))
            nodes.append(helper.make_node("Tanh", [f"p{index}"], [f"t{index}"], name=f"/tanh{index}"))
            value = f"t{index}"
    nodes[-1].output[0] = "y"
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, _SIDE]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "heavy", ends[:1], ends[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return count * _BYTES


def _external(name: str, file: str, offset: int) -> onnx.TensorProto:
    tensor = onnx.TensorProto(
        name=name, data_type=TensorProto.FLOAT, dims=[_SIDE, _SIDE], data_location=TensorProto.EXTERNAL
    )
    for key, value in (("location", file), ("offset", offset), ("length", _BYTES)):
        tensor.external_data.add(key=key, value=str(value))
    return tensor
