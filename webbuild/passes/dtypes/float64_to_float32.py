from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite

_NAMING_A_TYPE = ("to", "dtype", "output_datatype")
"""Attributes by which a standard operator, or one of ONNX Runtime, names the type of its result."""
_LIMIT = float(np.finfo(np.float32).max)


class Float64ToFloat32(Pass):
    """Turns float64 constants, casts and values into float32, in subgraphs too.

        Cast<to = float64>(x) -> Mul(x, half float64)  ->  Cast<to = float32>(x) -> Mul(x, half float32)

    onnxruntime-web's WebGPU builds carry no float64 kernels, not even for the CPU: one such value anywhere and
    no session can be made ("Provider type for Cast node ... is not set"). Most come from a NumPy constant or a
    `torch.float64` schedule and carry no more than float32 accuracy needs; the proof shows whether that holds.
    Constants too large for float32 become infinite, which is refused.

    Right to 1e-5 of the largest magnitude. All values change at once, or none.
    """

    code = "float64-to-float32"
    after = ("canonicalize",)
    scope = "whole model"
    tolerance = 1e-5

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Retype everything at once, or nothing."""
        tensors = list(_float64_tensors(model))
        for name, array in tensors:
            finite = array[np.isfinite(array)]
            if finite.size and np.abs(finite).max() > _LIMIT:
                return [self.skipped(name, "holds values beyond the range of float32")]
        changed = _retype(model)
        return (
            [self.applied("graph", f"{changed} float64 constants, casts and values are now float32")] if changed else []
        )


def _float64_tensors(model: ir.Model) -> Iterator[tuple[str, np.ndarray]]:
    for graph in model.graphs():
        for name, value in graph.initializers.items():
            if value.const_value is not None and value.const_value.dtype == ir.DataType.DOUBLE:
                yield name, value.const_value.numpy()
        for node in graph:
            for attribute in node.attributes.values():
                if attribute.type == ir.AttributeType.TENSOR and attribute.as_tensor().dtype == ir.DataType.DOUBLE:
                    yield node.name or node.op_type, attribute.as_tensor().numpy()


def _retype(model: ir.Model) -> int:
    changed = 0
    for graph in model.graphs():
        for value in (*graph.inputs, *graph.initializers.values()):
            changed += _retype_value(value)
        for node in graph:
            changed += sum(_retype_attribute(node, attribute) for attribute in list(node.attributes.values()))
            changed += sum(_retype_value(value) for value in node.outputs)
    return changed


def _retype_value(value: ir.Value) -> bool:
    tensor = value.const_value
    if tensor is not None and tensor.dtype == ir.DataType.DOUBLE:
        value.const_value = ir.tensor(tensor.numpy().astype(np.float32), name=value.name)
        value.type = ir.TensorType(ir.DataType.FLOAT)
        return True
    if value.dtype == ir.DataType.DOUBLE:
        value.type = ir.TensorType(ir.DataType.FLOAT)
        return True
    return False


def _retype_attribute(node: ir.Node, attribute: ir.Attr) -> bool:
    if attribute.type == ir.AttributeType.TENSOR and attribute.as_tensor().dtype == ir.DataType.DOUBLE:
        array = attribute.as_tensor().numpy().astype(np.float32)
        node.attributes[attribute.name] = ir.AttrTensor(attribute.name, ir.tensor(array))
        return True
    names_type = attribute.name in _NAMING_A_TYPE and attribute.type == ir.AttributeType.INT
    if names_type and node.domain in ("", "ai.onnx", "com.microsoft") and attribute.as_int() == ir.DataType.DOUBLE:
        node.attributes[attribute.name] = ir.AttrInt64(attribute.name, ir.DataType.FLOAT.value)
        return True
    return False
