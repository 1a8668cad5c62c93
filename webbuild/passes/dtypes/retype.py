"""Conversion of one floating point type to another, everywhere in a model: constants, attributes and values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.passes.graphs import graphs_of

_NAMING_A_TYPE = ("to", "dtype", "output_dtype", "output_datatype")
"""Attributes that name the output type of a standard operator or of one of ONNX Runtime's."""


def tensors_of(model: ir.Model, dtype: ir.DataType) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the constants of a type, also in subgraphs, each with its name or its node's."""
    for graph in graphs_of(model):
        for name, value in graph.initializers.items():
            if value.const_value is not None and value.const_value.dtype == dtype:
                yield name, value.const_value.numpy()
        for node in graph:
            for attribute in node.attributes.values():
                if attribute.type == ir.AttributeType.TENSOR and attribute.as_tensor().dtype == dtype:
                    yield node.name or node.op_type, attribute.as_tensor().numpy()


def retype(model: ir.Model, old: ir.DataType, new: ir.DataType) -> int:
    """Convert every constant, Cast and value of one type to the other; return their number."""
    changed = 0
    for graph in graphs_of(model):
        for value in (*graph.inputs, *graph.initializers.values()):
            changed += retype_value(value, old, new)
        for node in graph:
            changed += retype_attributes(node, old, new)
            changed += sum(retype_value(value, old, new) for value in node.outputs)
    return changed


def retype_value(value: ir.Value, old: ir.DataType, new: ir.DataType) -> bool:
    """Convert a value and its constant if it has the old type; return whether it had."""
    tensor = value.const_value
    if tensor is not None and tensor.dtype == old:
        value.const_value = ir.tensor(tensor.numpy().astype(new.numpy()), name=value.name)
    elif value.dtype != old:
        return False
    value.type = ir.TensorType(new)
    return True


def retype_attributes(node: ir.Node, old: ir.DataType, new: ir.DataType) -> int:
    """Convert the attributes that have or name the old type; return their number."""
    return sum(_retype_attribute(node, attribute, old, new) for attribute in list(node.attributes.values()))


def _retype_attribute(node: ir.Node, attribute: ir.Attr, old: ir.DataType, new: ir.DataType) -> bool:
    if attribute.type == ir.AttributeType.TENSOR and attribute.as_tensor().dtype == old:
        array = attribute.as_tensor().numpy().astype(new.numpy())
        node.attributes[attribute.name] = ir.AttrTensor(attribute.name, ir.tensor(array))
        return True
    names_type = attribute.name in _NAMING_A_TYPE and attribute.type == ir.AttributeType.INT
    if names_type and node.domain in ("", "ai.onnx", "com.microsoft") and attribute.as_int() == old:
        node.attributes[attribute.name] = ir.AttrInt64(attribute.name, new.value)
        return True
    return False
