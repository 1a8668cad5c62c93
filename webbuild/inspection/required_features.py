"""Optional adapter features that a graph requires."""

from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir

from webbuild.manifest.manifest import Feature


def required_features(model: ir.Model) -> list[Feature]:
    """Return the WebGPU features without which a graph throws: `shader-f16` if any value is float16.

    A weight that is only cast does not need it: the engine folds that Cast on the CPU before placement.
    """
    return ["shader-f16"] if ir.DataType.FLOAT16 in _types(model) else []


def _types(model: ir.Model) -> Iterator[object]:
    """Yield the element types of values, and those named by attributes, as value types may not be inferred."""
    for graph in model.graphs():
        weights = (value for value in graph.initializers.values() if not _is_only_cast(value))
        yield from (value.dtype for value in (*graph.inputs, *weights))
        for node in graph:
            yield from (value.dtype for value in node.outputs)
            yield from (_attribute_types(attribute) for attribute in node.attributes.values())


def _attribute_types(attribute: ir.Attr) -> object:
    if attribute.type == ir.AttributeType.TENSOR:
        return attribute.as_tensor().dtype
    return ir.DataType(attribute.as_int()) if attribute.name in ("to", "dtype") else None


def _is_only_cast(value: ir.Value) -> bool:
    """Whether all readers of a value are Casts."""
    readers = [use.node.op_type for use in value.uses()]
    return set(readers) == {"Cast"} and not value.is_graph_output()
