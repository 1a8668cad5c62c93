"""Whether a graph leaves anything to the CPU."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.inspection.graph import read
from webbuild.inspection.placing import place
from webbuild.passes.force_cpu import cpu_nodes
from webbuild.targets.table import Table


def all_on_gpu(model: ir.Model, table: Table) -> bool:
    """Return whether the engine runs every node on the GPU, but for those that it computes while it loads."""
    copy, nodes = read(model, {})
    placings = place(nodes, table, cpu_nodes(copy)).values()
    return all(placing.place in ("gpu", "folded") for placing in placings)
