"""Nodes that run on the CPU."""

from __future__ import annotations

from functools import partial

import onnx_ir as ir

from webbuild.inspection.context import DATA_DEPENDENT_OPS, InspectionContext, has_dynamic_output
from webbuild.inspection.fixes import fixes_by_operator
from webbuild.inspection.kernels import (
    MICROSOFT_DOMAIN,
    STANDARD_DOMAINS,
    gpu_dtypes,
    gpu_schema_versions,
    has_gpu_kernel,
)
from webbuild.inspection.op_cost import cpu_severity
from webbuild.inspection.rules.base import rule
from webbuild.passes.decompose.decompose_masked_attention import DecomposeMaskedAttention, is_masked_attention
from webbuild.passes.static_shapes.unroll_loops import UnrollLoops
from webbuild.passes.workarounds.base import Symptom

_cpu_rule = partial(rule, placement="cpu", summary="runs on the CPU", severity="warning", outcome="cpu")


@_cpu_rule("contrib-op-on-cpu", fix="export the model without these fusions", passes=(DecomposeMaskedAttention.code,))
def contrib_op_on_cpu(node: ir.Node, context: InspectionContext) -> Symptom | None:
    """A fused operator of com.microsoft runs on the CPU, or in no build: most have no GPU kernel.

    Attention has a GPU kernel only without masks and without a past. A DynamicQuantizeLSTM quantizes its state to 8
    bits at every step, with a range measured at that step: other operators cannot reproduce its output.

    Fix: decompose-masked-attention writes an Attention with a mask as MatMul and Softmax. Export without the other
    fusions; the engine itself fuses what it can run. Do not quantize an LSTM: `quantize_dynamic(...,
    op_types_to_quantize=["MatMul", "Gemm", "Conv"])`.

    Source: the engine's list of kernels.
    """
    if node.domain != MICROSOFT_DOMAIN:
        return None
    if node.op_type == "DynamicQuantizeLSTM":
        return Symptom(
            "DynamicQuantizeLSTM has no GPU kernel, and other operators cannot reproduce how it quantizes its state",
            fix="quantize without the LSTMs: quantize_dynamic(..., op_types_to_quantize=['MatMul', 'Gemm', 'Conv'])",
            fixed_by="",
        )
    attention = node.op_type == "Attention"
    return Symptom(
        "its GPU kernel takes no mask and no past" if attention else f"there is no GPU kernel for {node.op_type}",
        fixed_by=DecomposeMaskedAttention.code if is_masked_attention(node) else "",
    )


@_cpu_rule(
    "dynamic-output-shape",
    *DATA_DEPENDENT_OPS,
    summary="data-dependent output shape",
    fix="use TopK with a constant k",
    passes=(
        *("static-nms", "static-rotated-nms", "static-generic-nms", "pad-nms-output"),
        *("dense-boolean-indexing", "decompose-data-movement"),
    ),
)
def dynamic_output_shape(node: ir.Node, context: InspectionContext) -> Symptom | None:
    """Data-dependent output shape: the node and the arithmetic after it run on the CPU.

    The sizes may change in every run, so buffers are allocated and shaders compiled again. If nothing is found, there
    are tensors of size zero, on which several GPU kernels throw.

    Fix: fixed sizes. webbuild rewrites these:

    - non-maximum suppression
    - a Compress by a constant
    - rows that a mask selects, if they are computed row by row, reduced, or put back (dense-boolean-indexing)

    TopK with a constant k replaces a NonZero.

    Source: measured; onnxruntime #22425.
    """
    if not has_dynamic_output(node):
        return None
    # a dry run of the passes finds the one that removes it
    return Symptom(f"{node.op_type} runs on the CPU, and its output size changes every run", fixed_by="")


@_cpu_rule("no-gpu-kernel", fix="replace it by operators that have one, or cut the graph before it")
def no_gpu_kernel(node: ir.Node, context: InspectionContext) -> Symptom | None:
    """The operator runs on the CPU: the build has no GPU kernel for it, in any version or type.

    The inputs are copied from the GPU, after everything queued there has ended, and the outputs are copied back. The
    copies cost more than the operator.

    Fix: replace it by operators that have a kernel, or remove it from the model if it is at the end.

    Source: measured; onnxruntime #18584, #22425.
    """
    other_rule = has_dynamic_output(node) or node.op_type in UnrollLoops.operators
    if node.domain not in STANDARD_DOMAINS or other_rule or has_gpu_kernel(node, context.table):
        return None
    return Symptom(
        f"{context.table.target.name} has no GPU kernel for {node.op_type}",
        severity=cpu_severity(node),
        fixed_by=fixes_by_operator().get(node.op_type, ""),
    )


@_cpu_rule("no-gpu-kernel-for-dtype", fix="compute it in int32 or float", passes=("narrow-int64",))
def no_gpu_kernel_for_dtype(node: ir.Node, context: InspectionContext) -> Symptom | None:
    """The node runs on the CPU: the operator has GPU kernels, but not for this element type.

    No build computes int64 on the GPU, and almost none computes uint8, int8 and bool there. Index and mask arithmetic
    of an export has these types.

    Fix: int32 for int64 if the values fit, float for masks; keep int64 for shapes, axes and the graph's outputs.

    Source: measured; onnxruntime #29273.
    """
    placement, dtype = context.placements[node], context.placements[node].kernel.dtype
    if placement.follows_shape or node.domain not in STANDARD_DOMAINS or not dtype:
        return None
    if gpu_schema_versions(node, dtype, context.table) or not has_gpu_kernel(node, context.table):
        return None
    types = ", ".join(gpu_dtypes(node, placement.kernel.schema_version, context.table)[:6])
    fix = None if dtype == "int64" else fixes_by_operator().get(node.op_type, "")
    if fix == "bool-to-int" and dtype not in ("bool", "uint8"):
        fix = ""
    return Symptom(
        f"{node.op_type} of {dtype} has no GPU kernel; the build has {types or 'no type at this version'}",
        severity=cpu_severity(node),
        fixed_by=fix,
    )


@_cpu_rule("opset-too-new", passes=("downgrade-opset",))
def opset_too_new(node: ir.Node, context: InspectionContext) -> Symptom | None:
    """The operator runs on the CPU: its version is newer than those that the build has GPU kernels for.

    The engine uses a kernel only for the version of the schema that it was registered for. If ONNX widens the types of
    an operator, as opset 22 did for MaxPool, the kernel stays registered for the old version, without a warning.

    Fix: export at opset 19, or 21 without GridSample.

    Source: measured; onnxruntime #29682, #28955.
    """
    version = context.schema_version(node)
    older = [since for since in _kernel_versions(node, context) if since < version]
    if not older:
        return None
    return Symptom(
        f"{node.op_type} has GPU kernels up to version {older[-1]}; at this opset it is {version}",
        severity=cpu_severity(node),
        fix=f"export the model at an opset below {version}",
    )


@_cpu_rule("opset-too-old", passes=("upgrade-opset",))
def opset_too_old(node: ir.Node, context: InspectionContext) -> Symptom | None:
    """The operator runs on the CPU: its version is older than those that the build has GPU kernels for.

    Examples are Clip before opset 11, Equal before 11 and Max before 8.

    Fix: export at a newer opset, 13 to 19, or convert the model with onnx.version_converter.

    Source: measured.
    """
    versions, version = _kernel_versions(node, context), context.schema_version(node)
    if not versions or versions[0] <= version:
        return None
    return Symptom(
        f"{node.op_type} has GPU kernels from version {versions[0]} on; at this opset it is {version}",
        severity=cpu_severity(node),
        fix=f"export the model at opset {versions[0]} or newer",
    )


@_cpu_rule("shape-subgraph-on-cpu", severity="note", fix="fix the sizes of the inputs", passes=("fix-dynamic-dims",))
def shape_subgraph_on_cpu(node: ir.Node, context: InspectionContext) -> str | None:
    """The node runs on the CPU although it has a GPU kernel: all its inputs are on the CPU.

    The engine keeps arithmetic on sizes on the CPU, where the sizes are, to save copies. It costs time only if the
    result is large.

    Fix: give the sizes with --dim, so that they are constants.

    Source: the engine's GetCpuPreferredNodes.
    """
    follows = context.placements[node].follows_shape
    return "it reads only sizes, small constants and inputs, which are already on the CPU" if follows else None


def _kernel_versions(node: ir.Node, context: InspectionContext) -> list[int]:
    """Return the schema versions with a GPU kernel for a node's type, in order; none if it follows a shape."""
    placement = context.placements[node]
    return [] if placement.follows_shape else gpu_schema_versions(node, placement.kernel.dtype, context.table)
