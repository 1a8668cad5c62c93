"""Nodes that fail in float16."""

from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, dtype_name
from webbuild.inspection.float16_kernels import FIREFOX_OPS, why_not_compiled
from webbuild.inspection.rules.base import rule
from webbuild.passes.rewrite import static_shape

_MAX_EXACT_POSITION = 2048
"""Integers up to which float16 is exact."""

_MANY_TERMS = 1024


@rule("fp16-conv-transpose", "ConvTranspose", summary="wrong answer", outcome="wrong", fix="cast to float around it")
def fp16_conv_transpose(node: ir.Node, context: InspectionContext) -> str | None:
    """The answer is wrong beyond position 2048: the kernel computes positions in float16, which is not exact above.

    Fix: keep the node in float32.

    Source: onnxruntime #28976.
    """
    sizes = static_shape(node.outputs[0])
    if dtype_name(node.inputs[0]) != "float16" or not sizes or max(sizes[2:]) <= _MAX_EXACT_POSITION:
        return None
    return "it computes positions above 2048, where float16 is not exact"


@rule(
    "fp16-layer-normalization",
    "LayerNormalization",
    summary="may throw",
    severity="warning",
    fix="cast to float around it",
)
def fp16_layer_normalization(node: ir.Node, context: InspectionContext) -> str | None:
    """May throw: the shader of LayerNormalization in float16 does not compile in builds around 1.30.

    The message is `[Invalid ShaderModule "LayerNorm"]`. It appears only on devices with shader-f16.

    Fix: keep the node in float32.

    Source: onnxruntime #32627.
    """
    return "its float16 shader does not compile in some builds" if dtype_name(node.inputs[0]) == "float16" else None


@rule(
    "fp16-overflow",
    *("Pow", "ReduceMean", "ReduceSum", "ReduceSumSquare", "ReduceL2", "GlobalAveragePool", "MatMul"),
    summary="may overflow",
    severity="warning",
    outcome="wrong",
    fix="keep this node in float32",
)
def fp16_overflow(node: ir.Node, context: InspectionContext) -> str | None:
    """The result may overflow: the largest float16 is 65504, and this node squares, or sums 1,024 numbers or more.

    The known case is a LayerNormalization written as ReduceMean, Sub, Pow, Sqrt: its variance becomes infinite.

    Fix: keep these nodes in float32, or use LayerNormalization (opset 17), which sums in float32.

    Source: onnxruntime #31626, #26732.
    """
    if dtype_name(node.inputs[0]) != "float16":
        return None
    if node.op_type == "Pow":
        return "it squares in float16"
    before, after = static_shape(node.inputs[0]), static_shape(node.outputs[0])
    terms = 0
    if node.op_type == "MatMul" and before:
        terms = before[-1]
    elif before and after:
        terms = math.prod(before) // max(1, math.prod(after))
    return f"it sums {terms} numbers in float16" if terms >= _MANY_TERMS else None


@rule("fp16-scatter", "ScatterND", "ScatterElements", fix="cast to float around it")
def fp16_scatter(node: ir.Node, context: InspectionContext) -> str | None:
    """The run throws: `Reduction is not supported for data type`, for Scatter with a reduction in float16.

    Fix: keep the node in float32.

    Source: the engine's kernels.
    """
    reduces = node.attributes.get_string("reduction", "none") != "none"
    return "its kernel cannot add float16" if reduces and dtype_name(node.inputs[0]) == "float16" else None


@rule("fp16-firefox", *FIREFOX_OPS, summary="throws in Firefox", severity="warning", fix="cast to float around it")
def fp16_firefox(node: ir.Node, context: InspectionContext) -> str | None:
    """The run throws in Firefox: the float16 kernels of Clip and Pad do not compile there.

    The message is `ShaderModule is invalid`. Chromium compiles them. A Clip directly after a Conv is fused into the
    Conv's kernel, which compiles in both.

    Fix: keep the node in float32. `pack --precision` does so.

    Source: measured in Firefox 153 and Chromium 156.
    """
    is_float16 = dtype_name(node.inputs[0]) == "float16"
    return why_not_compiled(node, lambda other: dtype_name(other.inputs[0]) == "float16") if is_float16 else None
