"""What a graph needs of the graphics adapter besides what every adapter has."""

from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir

from webbuild.manifest.manifest import Feature


def required_features(model: ir.Model) -> list[Feature]:
    """Return the features of WebGPU without which a graph throws: `shader-f16` where anything in it is float16."""
    return ["shader-f16"] if ir.DataType.FLOAT16 in _types(model) else []


def _types(model: ir.Model) -> Iterator[object]:
    """Yield the element types of values, and those that attributes ask for: types of values may not be inferred."""
    for graph in model.graphs():
        yield from (value.dtype for value in (*graph.inputs, *graph.initializers.values()))
        for node in graph:
            yield from (value.dtype for value in node.outputs)
            yield from (_asked(attribute) for attribute in node.attributes.values())


def _asked(attribute: ir.Attr) -> object:
    if attribute.type == ir.AttributeType.TENSOR:
        return attribute.as_tensor().dtype
    return ir.DataType(attribute.as_int()) if attribute.name in ("to", "dtype") else None
