"""What a model takes: weights, intermediate values at their peak, the largest tensor."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.result import MemoryEstimate
from webbuild.passes.rewrite import nbytes


def estimate_memory(context: InspectionContext) -> MemoryEstimate:
    """Estimate the memory of a model whose sizes are fixed."""
    weights = [
        value for each in _graphs(context) for value in each.initializers.values() if value.const_value is not None
    ]
    held = sum(value.const_value.nbytes for value in weights if value.const_value is not None)
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
    heaviest = max(weights, key=lambda value: value.const_value.nbytes if value.const_value else 0, default=None)
    if heaviest is not None and heaviest.const_value is not None and heaviest.const_value.nbytes > largest:
        largest, name = heaviest.const_value.nbytes, heaviest.name or ""
    return MemoryEstimate(held, peak, largest, name, unknown)


def _graphs(context: InspectionContext) -> list[ir.Graph]:
    graphs = dict.fromkeys(each.node.graph for each in context.nodes)
    return [graph for graph in graphs if isinstance(graph, ir.Graph)]
