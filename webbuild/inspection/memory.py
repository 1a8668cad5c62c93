"""Memory of a model: weights, peak activations, the largest tensor."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.result import MemoryEstimate
from webbuild.passes.rewrite import nbytes


def estimate_memory(context: InspectionContext) -> MemoryEstimate:
    """Estimate the memory of a model whose sizes are fixed."""
    stored = [value for each in _graphs(context) for value in each.initializers.values()]
    stored += [value for each in context.nodes if each.node.op_type == "Constant" for value in each.node.outputs]
    found = ((value.name or "", ir.convenience.get_const_tensor(value)) for value in stored)
    weights = [(title, tensor.nbytes) for title, tensor in found if tensor is not None]
    held = sum(size for _, size in weights)
    running = [each.node for each in context.nodes if context.placements[each.node].kind in ("gpu", "cpu")]
    last = {value: index for index, node in enumerate(running) for value in node.inputs if value is not None}
    living = sum(nbytes(value) or 0 for value in context.model.graph.inputs)
    peak, unknown, largest, name = living, 0, 0, ""
    ends: dict[int, int] = {}
    for index, node in enumerate(running):
        for value in node.outputs:
            taken = nbytes(value)
            unknown += taken is None
            living += taken or 0
            if (taken or 0) > largest:
                largest, name = taken or 0, value.name or ""
            if not value.is_graph_output():
                ends[last.get(value, index)] = ends.get(last.get(value, index), 0) + (taken or 0)
        peak = max(peak, living)
        living -= ends.pop(index, 0)
    heaviest, size = max(weights, key=lambda each: each[1], default=("", 0))
    if size > largest:
        largest, name = size, heaviest
    return MemoryEstimate(held, peak, largest, name, unknown)


def _graphs(context: InspectionContext) -> list[ir.Graph]:
    graphs = dict.fromkeys(each.node.graph for each in context.nodes)
    return [graph for graph in graphs if isinstance(graph, ir.Graph)]
