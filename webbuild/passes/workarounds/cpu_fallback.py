from __future__ import annotations

from collections.abc import Sequence

import msgspec
import onnx_ir as ir

from webbuild.passes.analysis.kernel_lookup import placement
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.graphs import each_graph, graphs_of
from webbuild.passes.rewrite import find_nodes
from webbuild.passes.workarounds.base import PassContext
from webbuild.passes.workarounds.resize_to_matmul import ResizeToMatmul

CPU_NODES_KEY = "webbuild.cpu-nodes"
"""Metadata key of the node names, as JSON."""


class CpuFallback(Pass):
    """A node on the GPU whose kernel throws or is wrong -> the same node on the CPU.

    Why: onnxruntime-web's WebGPU accepts some nodes and then throws or returns wrong numbers, such as a Resize with
    antialias or a linear channels-last Resize. This pass handles those that resize-to-matmul refuses, and every other
    node of the patched graph for which `webbuild inspect` reports an error.

    How: the graph does not change. Every such node gets a unique name, and the manifest lists the names. The runtime
    passes them to the WebGPU provider as `forceCpuNodeNames`. It costs a copy each way.
    """

    code = "cpu-fallback"
    after = ("canonicalize", "fold-constants", "downgrade-opset", "eliminate-no-ops", ResizeToMatmul.code)
    target = "webgpu"
    scope = "whole model"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Give each such node a unique name, and report those that were not listed before."""
        before = cpu_node_names(model)
        if options.table is None or options.table.target.build != "webgpu":
            return []
        rewrites: dict[str, Rewrite] = {}
        context = PassContext(model, options)
        for node in (node for part in each_graph(model) for node in find_nodes(part, *ResizeToMatmul.operators)):
            symptom = ResizeToMatmul().affects(node, context)
            if symptom is not None and placement(model, node, options) == "gpu":
                name = _unique_node_name(model, node)
                rewrites[name] = self.applied(f"{node.op_type} '{name}'", f"left to the CPU: {symptom.reason}")
        if list(rewrites) != before:
            model.metadata_props[CPU_NODES_KEY] = msgspec.json.encode(list(rewrites)).decode()
        return [rewrite for name, rewrite in rewrites.items() if name not in before]


def cpu_node_names(model: ir.Model) -> list[str]:
    """Return the names of the nodes that must run on the CPU."""
    return msgspec.json.decode(model.metadata_props.get(CPU_NODES_KEY, "[]"), type=list[str])


def mark_cpu_nodes(model: ir.Model, nodes: Sequence[ir.Node]) -> list[str]:
    """List more nodes to run on the CPU. Returns their names, each unique."""
    names = [_unique_node_name(model, node) for node in nodes]
    known = cpu_node_names(model)
    if new := [name for name in names if name not in known]:
        model.metadata_props[CPU_NODES_KEY] = msgspec.json.encode([*known, *new]).decode()
    return names


def _unique_node_name(model: ir.Model, node: ir.Node) -> str:
    """Return the node's name; if it has none, or another node has the same, rename the node."""
    taken = [other.name for graph in graphs_of(model) for other in graph if other is not node]
    name, number = node.name or f"{node.op_type}/cpu", 1
    while name in taken:
        name, number = f"{node.name or node.op_type}/cpu_{number}", number + 1
    node.name = name
    return name
