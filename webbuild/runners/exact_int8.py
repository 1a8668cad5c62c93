"""Exact products of quantized numbers on native ONNX Runtime: weights of int8 become uint8.

On x86 processors with AVX2 and without VNNI, ONNX Runtime multiplies uint8 with int8 by an instruction that adds pairs
of products in 16 bits: 255 * 127 + 255 * 127 becomes 32,767. The answer is then not what ONNX defines, nor what other
processors and browsers compute. Its own remedy, `session.x64quantprecision`, works with optimizations alone, which a
reference has off. Products of uint8 with uint8 are exact, and w - z is (w + 128) - (z + 128).
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

_WEIGHTS = {"MatMulInteger": (1, 3), "QLinearConv": (3, 5), "QLinearMatMul": (3, 5)}
"""The inputs of weights and of their zero points. ConvInteger is exact as it is."""
_ZERO_POINT = 2
"""The input that is the zero point of the data."""


def with_uint8_weights(path: Path, data: bytes | None = None) -> bytes | None:
    """Return the model with uint8 weights in integer products, None where it has no int8 ones.

    Args:
        path: of the model; external data lies beside it, and stays there but for such weights.
        data: the model, if it is another one than that in the file.
    """
    if not _mentions_products(path, data):
        return None
    model = onnx.load(path, load_external_data=False) if data is None else onnx.load_from_string(data)
    changed = [_rewrite(graph, path.resolve().parent) for graph in _graphs(model.graph)]
    return model.SerializeToString() if any(changed) else None


def _mentions_products(path: Path, data: bytes | None) -> bool:
    """Whether the names of the operators are in the file, which is not parsed for this."""
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
    """Give the integer products of a graph uint8 weights; those that it does not store itself stay."""
    stored = {tensor.name: tensor for tensor in graph.initializer}
    stored |= {node.output[0]: _value(node) for node in graph.node if node.op_type == "Constant" and _value(node).name}
    shifted: set[str] = set()
    for node in graph.node:
        if node.op_type not in _WEIGHTS:
            continue
        weights, zero = _WEIGHTS[node.op_type]
        own = _input(node, zero)
        if not _is_int8(stored.get(node.input[weights])) or not (own is None or _is_int8(stored.get(own))):
            continue
        if node.op_type != "MatMulInteger" and not _is_uint8(stored.get(node.input[_ZERO_POINT])):
            continue  # no kernel takes int8 data and uint8 weights
        _shift(graph, node, weights, stored[node.input[weights]], folder, shifted)
        if own is None:
            node.input.extend([""] * (zero + 1 - len(node.input)))
        nothing = numpy_helper.from_array(np.zeros((), np.int8), "zero")
        _shift(graph, node, zero, nothing if own is None else stored[own], folder, shifted)
    return bool(shifted)


def _shift(
    graph: onnx.GraphProto, node: onnx.NodeProto, index: int, tensor: onnx.TensorProto, folder: Path, shifted: set[str]
) -> None:
    """Let an input of a node read the stored numbers plus 128."""
    name = f"{tensor.name or node.input[index]}/uint8"
    if name not in shifted:
        values = numpy_helper.to_array(tensor, str(folder)).astype(np.int16) + 128
        graph.initializer.append(numpy_helper.from_array(values.astype(np.uint8), name))
        shifted.add(name)
    node.input[index] = name


def _input(node: onnx.NodeProto, index: int) -> str | None:
    return node.input[index] if index < len(node.input) and node.input[index] else None


def _value(node: onnx.NodeProto) -> onnx.TensorProto:
    """Return the tensor of a Constant, with the name of its output; without a name if it has another form."""
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
