"""Findings about a model as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext, dtype_name
from webbuild.inspection.finding import Finding
from webbuild.inspection.graph import node_label
from webbuild.inspection.result import CpuPartition, MemoryEstimate
from webbuild.inspection.rules.base import model_rule
from webbuild.passes.rewrite import static_shape
from webbuild.reporting.quantities import format_bytes, format_count

_ADDRESS_SPACE = 4 << 30
_MAX_GPU_MEMORY = 1_000_000_000
"""Bytes of GPU memory above which there is a warning."""
_MAX_PAGE_MEMORY = 1_500_000_000
"""Bytes of memory above which iOS closes a page."""


@model_rule("cpu-partition")
def cpu_partition(
    context: InspectionContext, partitions: Sequence[CpuPartition], memory: MemoryEstimate
) -> Iterator[Finding]:
    """Nodes run on the CPU between GPU nodes: every run copies tensors there and back, and the GPU waits.

    A copy to the CPU waits for everything that is queued on the GPU: 7 ms for 64 kB in profiles, whatever the size. One
    operator without a kernel is enough to make a partition.

    Fix: see the findings about its nodes.

    Source: onnxruntime #27560, #18584.
    """
    for number, partition in enumerate(partitions, 1):
        if not partition.transfers:
            continue
        yield Finding(
            code="cpu-partition",
            severity="warning" if any(copy.destination == "cpu" for copy in partition.transfers) else "note",
            outcome="cpu",
            where=f"partition {number}: {node_label(context.nodes[partition.nodes[0]].node)}",
            summary=f"{format_count(len(partition.nodes), 'node')} on the CPU, "
            f"{format_count(len(partition.transfers), 'copy')}, "
            f"{format_bytes(partition.transfer_bytes)} a run",
            reason=", ".join(f"{count} {op}" for op, count in list(partition.operators.items())[:6]),
            fix="fix the findings about their operators",
        )


@model_rule("dynamic-dimension")
def dynamic_dimension(
    context: InspectionContext, partitions: Sequence[CpuPartition], memory: MemoryEstimate
) -> Iterator[Finding]:
    """A dimension is unknown before the run: each new size compiles new shaders and allocates new buffers.

    Arithmetic on sizes then stays in the graph, in int64 on the CPU. A dynamic dimension of an output may depend on the
    data.

    Fix: fix the size with --dim NAME=N.

    Source: onnxruntime #25882.
    """
    for kind, value in _interface(context):
        if static_shape(value) is None:
            yield Finding(
                code="dynamic-dimension",
                severity="note",
                outcome=None,
                where=f"{kind} '{value.name}'",
                summary="its size is not fixed" if value.shape is not None else "its shape is unknown",
                reason="each new size costs a compilation",
                fix="fix it with --dim NAME=N"
                if kind == "input"
                else "pack fixes it if the most rows are known; else return a fixed number of rows",
            )


@model_rule("int64-io")
def int64_io(
    context: InspectionContext, partitions: Sequence[CpuPartition], memory: MemoryEstimate
) -> Iterator[Finding]:
    """An input or output is int64: JavaScript uses BigInt64Array for it, and the GPU cannot compute int64.

    Fix: int32, if the values fit.

    Source: the WebGPU shading language has no 64-bit integers.
    """
    for kind, value in _interface(context):
        if dtype_name(value) in ("int64", "uint64") and not value.is_initializer():
            yield Finding(
                code="int64-io",
                severity="note",
                outcome=None,
                where=f"{kind} '{value.name}'",
                summary=f"{dtype_name(value)}, a BigInt64Array in JavaScript",
                reason="no GPU kernel computes 64-bit integers",
                fix="use int32 if the values fit",
            )


@model_rule("needs-shader-f16")
def needs_shader_f16(
    context: InspectionContext, partitions: Sequence[CpuPartition], memory: MemoryEstimate
) -> Iterator[Finding]:
    """The run throws or returns zeros on devices without shader-f16: the model computes in float16.

    The message is `Program MatMul requires f16 but the device does not support it.`

    Fix: ship a float32 model too, and choose by `adapter.features.has("shader-f16")`.

    Source: measured on 1.24.3 to 1.31.0-dev.
    """
    halves = [each.node for each in context.nodes if context.on_gpu(each.node) and uses_float16(each.node)]
    if halves:
        yield Finding(
            code="needs-shader-f16",
            severity="warning",
            outcome="throws",
            where="the model",
            summary=f"{format_count(len(halves), 'node')} in float16: throws on devices without shader-f16",
            reason=f"the first is {node_label(halves[0])}",
            fix="ship a float32 model too, and choose by the adapter's features",
        )


@model_rule("out-of-memory", gpu_only=False)
def out_of_memory(
    context: InspectionContext, partitions: Sequence[CpuPartition], memory: MemoryEstimate
) -> Iterator[Finding]:
    """No session can be created, or the run throws: WebAssembly addresses 4 GiB.

    The message is `std::bad_alloc`, `Array buffer allocation failed`, or a bare number. Weights inside the .onnx file
    take twice their size while it loads. External data takes its size once, on WebGPU until it is uploaded to the GPU.
    A bundle has only external data, and frees its copy when the engine takes it. The tensors of CPU nodes use the same
    memory.

    Fix: smaller weights, external data, a smaller input.

    Source: onnxruntime #21968.
    """
    if memory.weights + memory.activations > _ADDRESS_SPACE // 2:
        too_large = memory.weights > _ADDRESS_SPACE
        yield Finding(
            code="out-of-memory",
            severity="error" if too_large else "warning",
            outcome="no-session" if too_large else "throws",
            where="the model",
            summary=f"{format_bytes(memory.weights)} of weights, {format_bytes(memory.activations)} of other tensors",
            reason="WebAssembly addresses 4 GiB, and weights inside the .onnx file take twice their size while loading",
            fix="make the weights or the input smaller, or pack the model: a bundle has its weights next to the graph",
        )


@model_rule("gpu-memory")
def gpu_memory(
    context: InspectionContext, partitions: Sequence[CpuPartition], memory: MemoryEstimate
) -> Iterator[Finding]:
    """The model needs more than 1 GB of GPU memory at its peak: phones close the page, small GPUs lose the device.

    The sum is the weights plus, at each node, the tensors that a later node still reads. The engine takes somewhat
    more: it rounds buffer sizes up to reuse buffers, and frees a buffer only some nodes later.

    Fix: a smaller input image, with --size if height and width are dynamic. Float16, with --precision auto, halves it
    on devices that support it. `webbuild pack` computes unrolled deformable convolutions and attention over all
    positions in parts.

    Source: onnxruntime #25195, #21968; iOS closes a page above about 1.5 GB (mlc-ai/web-llm #753).
    """
    peak = memory.gpu
    if peak is None or peak.total <= _MAX_GPU_MEMORY:
        return
    tensors = ", ".join(f"'{each.name}' ({format_bytes(each.size)})" for each in peak.largest)
    yield Finding(
        code="gpu-memory",
        severity="warning",
        outcome=None,
        where=peak.where,
        summary=f"needs {format_bytes(peak.total)} on the GPU",
        reason=f"{format_bytes(peak.weights)} of weights, {format_bytes(peak.tensors)} of live tensors at this node: "
        f"the largest are {tensors}",
        fix="use a smaller input image, with --size if height and width are dynamic, or pack with --precision auto",
    )


@model_rule("wasm-memory", gpu_only=False)
def wasm_memory(
    context: InspectionContext, partitions: Sequence[CpuPartition], memory: MemoryEstimate
) -> Iterator[Finding]:
    """On WebAssembly, the model needs more than 1.5 GB at its peak: iOS closes a page above about that.

    The sum is all weights plus, at each node, the tensors that a later node still reads. The engine and the page take
    about 0.1 GB more. A bundle for WebGPU falls back to WebAssembly without a GPU, or on a GPU that computes wrong.

    Fix: smaller weights; a smaller input image, with --size if height and width are dynamic.

    Source: mlc-ai/web-llm #753.
    """
    total = memory.weights + memory.activations
    if total > _MAX_PAGE_MEMORY:
        yield Finding(
            code="wasm-memory",
            severity="warning",
            outcome=None,
            where="the model",
            summary=f"needs {format_bytes(total)} on WASM",
            reason=f"{format_bytes(memory.weights)} of weights, {format_bytes(memory.activations)} of tensors in use "
            f"at one time: iOS ends a page above about {format_bytes(_MAX_PAGE_MEMORY)}",
            fix="pack a smaller model, or use a smaller input image, with --size if height and width are dynamic",
        )


def uses_float16(node: ir.Node) -> bool:
    """Whether a node reads or writes float16."""
    return any(dtype_name(value) == "float16" for value in (*node.inputs, *node.outputs))


def _interface(context: InspectionContext) -> Iterator[tuple[str, ir.Value]]:
    """Yield the inputs and outputs of a model, each with "input" or "output"."""
    yield from (("input", value) for value in context.model.graph.inputs)
    yield from (("output", value) for value in context.model.graph.outputs)
