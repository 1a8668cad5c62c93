from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.passes.rewrite import opset_version, static_shape
from webbuild.passes.workarounds.base import DefectContext, PassContext, Symptom, Workaround

_BYTES = (ir.DataType.INT8, ir.DataType.UINT8)
_IN_A_WORD = 4
"""Bytes that a shader reads at once."""
_DEFAULT_AXIS = 1
_WITH_AXIS = 13
"""First opset in which DequantizeLinear has an axis."""


class SeparateDequantizeShaders(Workaround):
    """DequantizeLinear(x uint8 [10], s [], z []) -> DequantizeLinear<axis = 0>(x, s, z).

    Defect: the answer is wrong: a DequantizeLinear reuses the cached shader of another one.

    Why: with one scale, the kernel reads four bytes at a time if their number is a multiple of four, else one at a
    time. The shader cache key does not say which. It contains the rank, which counts as 1 for every tensor read four at
    a time. A 1-D tensor of 10 bytes, such as a bias, gets the same key.

    How: the key also contains the axis, which has no meaning with one scale. The pass sets it to make the keys differ.

    Limits: opset 13 or newer; other nodes must not use both axes already. Exact.

    Source: `onnxruntime/core/providers/webgpu/quantization/quantize_linear.cc`, its `CacheHint`; measured on 1.30.0.
    """

    code = "separate-dequantize-shaders"
    finding = "dequantize-shader-shared"
    operators = ("DequantizeLinear",)
    outcome = "wrong"
    fix = "give it another axis than the others"
    probe = "dequantize_of_ten_and_sixteen"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        shape = static_shape(node.inputs[0])
        if shape is None or len(shape) != 1 or not _has_one_scale(node) or shape[0] % _IN_A_WORD == 0:
            return None
        shared = _axis(node) in context.once(_axes_of_words)
        return Symptom("it has the shader of another one, which reads four bytes at once") if shared else None

    def refusal(self, node: ir.Node, context: DefectContext) -> str | None:
        if opset_version(context.model) < _WITH_AXIS:
            return "before opset 13 it has no axis"
        taken = {0, _DEFAULT_AXIS} <= context.once(_axes_of_words)
        return "other nodes use both possible axes" if taken else None

    def rewrite(self, node: ir.Node, context: PassContext) -> str:
        axis = 0 if _axis(node) == _DEFAULT_AXIS else _DEFAULT_AXIS
        node.attributes["axis"] = ir.AttrInt64("axis", axis)
        return f"its axis is {axis}, so that it gets a separate shader"


def _axes_of_words(model: ir.Model) -> frozenset[int]:
    """Return the axes of the nodes that read four bytes at once; the pass does not change these."""
    axes = set()
    for node in model.graph:
        shape = static_shape(node.inputs[0]) if node.op_type == "DequantizeLinear" else None
        if shape is not None and _has_one_scale(node) and math.prod(shape) % _IN_A_WORD == 0:
            axes.add(_axis(node))
    return frozenset(axes)


def _axis(node: ir.Node) -> int:
    axis = node.attributes.get_int("axis", _DEFAULT_AXIS)
    return axis if axis >= 0 else axis + len(static_shape(node.inputs[0]) or [])


def _has_one_scale(node: ir.Node) -> bool:
    value = node.inputs[0]
    return value is not None and value.dtype in _BYTES and math.prod(static_shape(node.inputs[1]) or [1]) == 1
