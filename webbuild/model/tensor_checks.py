"""Checks of the tensors in a model's file: each must have as much data as its shape needs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from webbuild.errors import WebbuildError
from webbuild.model.traversal import iter_nodes

if TYPE_CHECKING:
    import onnx

_TYPED_FIELDS = {
    "float_data": {1: 1, 14: 2},
    "double_data": {11: 1, 15: 2},
    "int64_data": {7: 1},
    "uint64_data": {12: 1, 13: 1},
    "int32_data": {2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 9: 1, 10: 1, 16: 1},
    "string_data": {8: 1},
}
"""Field -> element types that it may store -> entries per element."""


_DTYPE_ATTRIBUTES = frozenset({"to", "dtype", "output_dtype", "output_datatype"})
"""Attributes of standard operators that are an element type."""


_MAX_BYTES = 1 << 56
"""Most elements of a tensor; NumPy counts their bytes in 63 bits."""


def iter_tensors(graph: onnx.GraphProto) -> Iterator[onnx.TensorProto]:
    """Yield every tensor of the graph and its subgraphs."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors
            for subgraph in (attribute.g, *attribute.graphs):
                yield from iter_tensors(subgraph)


def expected_bytes(tensor: onnx.TensorProto) -> int:
    """Return the bytes that a tensor's type and shape need, whatever its data; 0 for a type without a fixed size."""
    import onnx_ir as ir

    try:
        return math.ceil(math.prod(tensor.dims) * ir.DataType(tensor.data_type).bitwidth / 8)
    except (ValueError, TypeError):
        return 0


def check_tensor_data(proto: onnx.ModelProto, path: Path) -> None:
    """Raise for a tensor in the file with more or less data than its shape needs.

    Raises:
        WebbuildError: `invalid-model`.
    """
    for tensor in iter_tensors(proto.graph):
        if tensor.data_location != tensor.EXTERNAL and (lack := _data_mismatch(tensor)) is not None:
            shape = ", ".join(map(str, tensor.dims))
            message = f"{path}: tensor '{tensor.name}' of shape [{shape}] has {lack}"
            raise WebbuildError("invalid-model", message, "copy the file again, or export the model again")


def check_dtypes(proto: onnx.ModelProto, path: Path) -> None:
    """Raise for a node that makes elements of an unknown type.

    Raises:
        WebbuildError: `invalid-model`.
    """
    import onnx

    known = set(onnx.TensorProto.DataType.values())
    for node in iter_nodes(proto):
        for attribute in node.attribute if node.domain in ("", "ai.onnx") else ():
            missing = attribute.i not in known or (attribute.name == "to" and attribute.i == 0)
            is_own = attribute.type == attribute.INT and not attribute.ref_attr_name
            if attribute.name in _DTYPE_ATTRIBUTES and is_own and missing:
                message = f"{path}: {node.op_type} '{node.name}' makes elements of the unknown type {attribute.i}"
                raise WebbuildError("invalid-model", message, "export the model again")


def _data_mismatch(tensor: onnx.TensorProto) -> str | None:
    if any(size < 0 for size in tensor.dims):
        return "a size below zero"
    if math.prod(size for size in tensor.dims if size) > _MAX_BYTES:  # also if another size is 0
        return "more elements than can be counted"
    if tensor.HasField("raw_data"):
        wanted = expected_bytes(tensor)
        if not wanted and 0 not in tensor.dims:
            return f"elements of type {tensor.data_type}, which is unknown or has no fixed size"
        return None if len(tensor.raw_data) == wanted else f"{len(tensor.raw_data)} bytes of data, not {wanted}"
    wanted = math.prod(tensor.dims)
    for field, entries in _TYPED_FIELDS.items():
        if tensor.data_type in entries:
            count = len(getattr(tensor, field))
            return None if count == wanted * entries[tensor.data_type] else f"{count} elements, not {wanted}"
    return None
