"""Removal of nodes whose outputs nothing reads after a rewrite."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.rewrite import is_read


def remove_unused(graph: ir.Graph, node: ir.Node) -> None:
    """Remove a node if nothing reads its outputs, and then its producers likewise."""
    if any(map(is_read, node.outputs)):
        return
    makers = [value.producer() for value in node.inputs if value is not None]
    graph.remove(node, safe=True)
    for maker in dict.fromkeys(makers):
        if maker is not None and maker.graph is graph:
            remove_unused(graph, maker)
