"""Memory of a model: weights, peak of live tensors, largest tensor."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.cpu_inputs import cpu_input_indices
from webbuild.inspection.graph import node_label
from webbuild.inspection.result import GpuPeak, LiveTensor, MemoryEstimate
from webbuild.passes.rewrite import constant_tensor, nbytes

_ALIASES = ("Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity")
"""Operators whose output is the input with another shape, without a copy."""
_MAX_NAMED = 3
"""Number of largest tensors that are listed for a peak."""


def estimate_memory(context: InspectionContext) -> MemoryEstimate:
    """Estimate the memory of a model with static shapes."""
    stored = [value for each in _graphs(context) for value in each.initializers.values()]
    stored += [value for each in context.nodes if each.node.op_type == "Constant" for value in each.node.outputs]
    tensors = ((value.name or "", constant_tensor(value)) for value in stored)
    weights = [(title, tensor.nbytes) for title, tensor in tensors if tensor is not None]
    running = [each.node for each in context.nodes if context.placements[each.node].kind in ("gpu", "cpu")]
    output_bytes = {value: nbytes(value) for node in running for value in node.outputs}
    largest = max(((value.name or "", size or 0) for value, size in output_bytes.items()), key=_size, default=("", 0))
    largest = max(largest, max(weights, key=_size, default=("", 0)), key=_size)
    _, living = _peak(context, running, {*output_bytes, *context.model.graph.inputs})
    return MemoryEstimate(
        weights=sum(map(_size, weights)),
        activations=sum(nbytes(value) or 0 for value in living),
        largest_bytes=_size(largest),
        largest_tensor=largest[0],
        unknown_shapes=sum(size is None for size in output_bytes.values()),
        gpu=None if context.wasm else _gpu_peak(context, running),
    )


def _gpu_peak(context: InspectionContext, running: Sequence[ir.Node]) -> GpuPeak | None:
    """Return the peak GPU memory, None if nothing runs on the GPU.

    A value takes GPU memory if a GPU node computes it or reads it on the GPU.
    """
    on_gpu = [node for node in running if context.on_gpu(node)]
    there = {value for node in on_gpu for value in node.outputs} | {value for node in on_gpu for value in _read(node)}
    weights = [value for value in there if context.is_constant(value)]
    node, living = _peak(context, running, there)
    if node is None:
        return None
    tensors = [LiveTensor(value.name or "", nbytes(value) or 0) for value in living]
    return GpuPeak(
        where=node_label(node),
        weights=sum(nbytes(value) or 0 for value in weights),
        tensors=sum(each.size for each in tensors),
        largest=tuple(sorted(tensors, key=lambda each: -each.size)[:_MAX_NAMED]),
    )


def _peak(
    context: InspectionContext, running: Sequence[ir.Node], counted: Collection[ir.Value]
) -> tuple[ir.Node | None, Collection[ir.Value]]:
    """Return the node at which the counted values take the most memory, and the values live at that node.

    Graph inputs are live from the beginning, graph outputs to the end, other values from their producer to their last
    reader. A reshaped value shares the memory of its source.
    """
    same: dict[ir.Value, ir.Value] = {}
    last: dict[ir.Value, int] = {}
    for index, node in enumerate(running):
        first = node.inputs[0] if node.inputs else None
        if node.op_type in _ALIASES and first is not None and not context.is_constant(first):
            same[node.outputs[0]] = same.get(first, first)
        for value in (*node.inputs, *node.outputs):
            if value is not None:
                root = same.get(value, value)
                last[root] = max(last.get(root, -1), len(running) if value.is_graph_output() else index)
    living = dict.fromkeys(
        value for value in context.model.graph.inputs if value in counted and not context.is_constant(value)
    )
    taken = sum(nbytes(value) or 0 for value in living)
    peak, then = -1, tuple[ir.Value, ...]()
    where: ir.Node | None = None
    ends: dict[int, list[ir.Value]] = {}
    for index, node in enumerate(running):
        for each in (*node.outputs, *(value for value in node.inputs if value is not None)):
            value = same.get(each, each)
            if value in living or value not in counted or context.is_constant(value) or index > last[value]:
                continue
            living[value] = None
            taken += nbytes(value) or 0
            ends.setdefault(last[value], []).append(value)
        if taken > peak and any(value in counted for value in node.outputs):
            peak, where, then = taken, node, tuple(living)
        for value in ends.pop(index, ()):
            del living[value]
            taken -= nbytes(value) or 0
    return where, then


def _read(node: ir.Node) -> list[ir.Value]:
    """Return the inputs that a GPU node reads on the GPU."""
    on_cpu = cpu_input_indices(node)
    return [value for index, value in enumerate(node.inputs) if value is not None and index not in on_cpu]


def _size(titled: tuple[str, int]) -> int:
    return titled[1]


def _graphs(context: InspectionContext) -> list[ir.Graph]:
    graphs = dict.fromkeys(each.node.graph for each in context.nodes)
    return [graph for graph in graphs if isinstance(graph, ir.Graph)]
