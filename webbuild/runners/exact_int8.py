"""Exact integer products on native ONNX Runtime: int8 weights become uint8.

On x86 CPUs with AVX2 but without VNNI, ONNX Runtime multiplies uint8 by int8 with an instruction that saturates: it
adds pairs of products in 16 bits, so 255 * 127 + 255 * 127 becomes 32,767. The result then differs from ONNX's
definition, other CPUs and browsers. ONNX Runtime's fix, `session.x64quantprecision`, needs graph optimizations, which
are off in the reference. Products of uint8 and uint8 are exact, and w - z = (w + 128) - (z + 128).
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

_WEIGHTS = {"MatMulInteger": (1, 3), "QLinearConv": (3, 5), "QLinearMatMul": (3, 5)}
"""Indices of the inputs with the weights and their zero points. ConvInteger is exact already."""
_ZERO_POINT = 2
"""Index of the input with the zero point of the data."""


def with_uint8_weights(path: Path, data: bytes | None = None) -> bytes | None:
    """Return the serialized model with uint8 weights in integer products, None if it has no int8 ones.

    Args:
        path: the model's file; external data is next to it, and stays there except for the changed weights.
        data: the serialized model to use instead of the file's, with the same external data.
    """
    if not _mentions_products(path, data):
        return None
    model = onnx.load(path, load_external_data=False) if data is None else onnx.load_from_string(data)
    changed = [_rewrite(graph, path.resolve().parent) for graph in _graphs(model.graph)]
    return model.SerializeToString() if any(changed) else None


def _mentions_products(path: Path, data: bytes | None) -> bool:
    """Whether the operators' names are in the file: a fast check that parses nothing."""
    names = [name.encode() for name in _WEIGHTS]
    if data is not None:
        return any(name in data for name in names)
    with path.open("rb") as file:
        if not path.stat().st_size:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            return any(mapped.find(name) >= 0 for name in names)


def _graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from _graphs(attribute.g)


def _rewrite(graph: onnx.GraphProto, folder: Path) -> bool:
    """Give the integer products of a graph uint8 weights, and return whether any changed.

    Only weights stored in this graph change.
    """
    stored = {tensor.name: tensor for tensor in graph.initializer}
    stored |= {node.output[0]: _value(node) for node in graph.node if node.op_type == "Constant" and _value(node).name}
    shifted: set[str] = set()
    for node in graph.node:
        if node.op_type not in _WEIGHTS:
            continue
        weights, zero = _WEIGHTS[node.op_type]
        zero_name = _input(node, zero)
        if not _is_int8(stored.get(node.input[weights])) or not (zero_name is None or _is_int8(stored.get(zero_name))):
            continue
        if node.op_type != "MatMulInteger" and not _is_uint8(stored.get(node.input[_ZERO_POINT])):
            continue  # no kernel takes int8 data with uint8 weights
        _shift(graph, node, weights, stored[node.input[weights]], folder, shifted)
        if zero_name is None:
            node.input.extend([""] * (zero + 1 - len(node.input)))
        default = numpy_helper.from_array(np.zeros((), np.int8), "zero")
        _shift(graph, node, zero, default if zero_name is None else stored[zero_name], folder, shifted)
    return bool(shifted)


def _shift(
    graph: onnx.GraphProto, node: onnx.NodeProto, index: int, tensor: onnx.TensorProto, folder: Path, shifted: set[str]
) -> None:
    """Replace an input of a node by the stored int8 values plus 128, as uint8."""
    name = f"{tensor.name or node.input[index]}/uint8"
    if name not in shifted:
        values = numpy_helper.to_array(tensor, str(folder)).astype(np.int16) + 128
        graph.initializer.append(numpy_helper.from_array(values.astype(np.uint8), name))
        shifted.add(name)
    node.input[index] = name


def _input(node: onnx.NodeProto, index: int) -> str | None:
    return node.input[index] if index < len(node.input) and node.input[index] else None


def _value(node: onnx.NodeProto) -> onnx.TensorProto:
    """Return the `value` of a Constant, named after its output; an unnamed tensor if it has another attribute."""
    tensor = onnx.TensorProto()
    for attribute in node.attribute:
        if attribute.name == "value":
            tensor.CopyFrom(attribute.t)
            tensor.name = node.output[0]
    return tensor


def _is_int8(tensor: onnx.TensorProto | None) -> bool:
    return tensor is not None and tensor.data_type == onnx.TensorProto.INT8


def _is_uint8(tensor: onnx.TensorProto | None) -> bool:
    return tensor is not None and tensor.data_type == onnx.TensorProto.UINT8
