"""Nodes and outputs of a model file, which may be gzipped."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Set
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx


def _read(path: Path) -> onnx.ModelProto:
    import onnx

    data = path.read_bytes()
    return onnx.load_model_from_string(gzip.decompress(data) if path.suffix == ".gz" else data)


def iter_nodes(proto: onnx.ModelProto) -> Iterator[onnx.NodeProto]:
    """Yield the nodes of the graph, its subgraphs, and the functions, without recursion."""
    waiting = [proto.graph.node, *(function.node for function in proto.functions)]
    while waiting:
        for node in waiting.pop():
            yield node
            for attribute in node.attribute:
                if attribute.type in (attribute.GRAPH, attribute.GRAPHS):
                    waiting += [graph.node for graph in (attribute.g, *attribute.graphs)]


_BOUNDED_BY_ONE = frozenset({"Sigmoid", "HardSigmoid", "Softmax", "Tanh", "Erf", "Softsign"})
_DATA_MOVEMENT = frozenset({
    "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Identity", "Flatten", "Slice", "Gather", "Expand", "Split", "Cast"
})  # fmt: skip
"""Operators whose output has the values of their first input."""


def outputs_within_one(path: Path) -> frozenset[str]:
    """Return the outputs of a model on disk that an activation bounds to [-1, 1], such as probabilities."""
    graph = _read(path).graph
    return frozenset(
        output.name
        for output in graph.output
        if (node := _maker(graph, output.name)) is not None and node.op_type in _BOUNDED_BY_ONE
    )


def rounded_outputs(path: Path) -> frozenset[str]:
    """Return the outputs of a model on disk that are floats rounded to bytes, such as pictures."""
    import onnx

    kinds = onnx.TensorProto
    model = _read(path)
    names = [each.name for each in model.graph.output if each.type.tensor_type.elem_type in (kinds.UINT8, kinds.INT8)]
    if not names:
        return frozenset()
    graph = onnx.shape_inference.infer_shapes(model).graph
    floats = {
        value.name
        for value in (*graph.value_info, *graph.input)
        if value.type.tensor_type.elem_type in (kinds.FLOAT, kinds.FLOAT16)
    }
    producers = {name: _maker(graph, name, floats) for name in names}
    return frozenset(
        name
        for name, node in producers.items()
        if node is not None and node.op_type in ("Cast", "QuantizeLinear") and node.input[0] in floats
    )


def _maker(graph: onnx.GraphProto, name: str, sources: Set[str] = frozenset()) -> onnx.NodeProto | None:
    """Return the node that computes a value, skipping data movement that does not read one of `sources`."""
    makers = {each: node for node in graph.node for each in node.output}
    node = makers.get(name)
    while node is not None and node.op_type in _DATA_MOVEMENT and node.input[0] not in sources:
        node = makers.get(node.input[0])
    return node


def casts_of_inputs(path: Path) -> frozenset[str]:
    """Return the names of the nodes of a model on disk that cast an int64 graph input directly."""
    import onnx

    graph = _read(path).graph
    wide = {value.name for value in graph.input if value.type.tensor_type.elem_type == onnx.TensorProto.INT64}
    return frozenset(node.name for node in graph.node if node.op_type == "Cast" and node.input[0] in wide)
