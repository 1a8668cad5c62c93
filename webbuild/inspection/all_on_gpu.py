"""Check that a graph runs entirely on the GPU."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.graph import prepare_graph
from webbuild.inspection.placement import place_nodes
from webbuild.passes.workarounds.cpu_fallback import cpu_node_names
from webbuild.targets.table import KernelTable


def all_on_gpu(model: ir.Model, table: KernelTable) -> bool:
    """Return whether the engine runs every node on the GPU, except those it folds at load time."""
    copy, nodes = prepare_graph(model, {})
    placings = place_nodes(nodes, table, cpu_node_names(copy)).values()
    return all(placing.kind in ("gpu", "folded") for placing in placings)
