"""Every node of a model as it is on disk, gzipped where its name says so."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx


def read_op_types(path: Path) -> frozenset[str]:
    """Return the operators of a model on disk; its external data are not read."""
    return frozenset(node.op_type for node in iter_nodes(_read(path)))


def _read(path: Path) -> onnx.ModelProto:
    import onnx

    data = path.read_bytes()
    return onnx.load_model_from_string(gzip.decompress(data) if path.suffix == ".gz" else data)


def iter_nodes(proto: onnx.ModelProto) -> Iterator[onnx.NodeProto]:
    """Yield the nodes of the graph, of the graphs inside it, and of the functions. Nesting costs no recursion."""
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
"""Operators that hand on the values of their first input."""


def outputs_within_one(path: Path) -> frozenset[str]:
    """Return the outputs of a model on disk that are probabilities or the like, computed from numbers around 1."""
    graph = _read(path).graph
    makers = {name: node for node in graph.node for name in node.output}
    found = set()
    for output in graph.output:
        node = makers.get(output.name)
        while node is not None and node.op_type in _DATA_MOVEMENT:
            node = makers.get(node.input[0])
        if node is not None and node.op_type in _BOUNDED_BY_ONE:
            found.add(output.name)
    return frozenset(found)


def casts_of_inputs(path: Path) -> frozenset[str]:
    """Return the names of the nodes of a model on disk that cast an int64 input of the graph, as it is given."""
    import onnx

    graph = _read(path).graph
    wide = {value.name for value in graph.input if value.type.tensor_type.elem_type == onnx.TensorProto.INT64}
    return frozenset(node.name for node in graph.node if node.op_type == "Cast" and node.input[0] in wide)
