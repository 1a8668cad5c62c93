"""Unique names for the nodes of a graph."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.model.unused_name import unused_name


def name_nodes(graph: ir.Graph) -> None:
    """Name unnamed nodes and rename duplicates, deterministically."""
    taken: set[str] = set()
    for node in graph:
        base = node.name or node.op_type
        node.name = unused_name(taken, base) if not node.name or node.name in taken else node.name
        taken.add(node.name)
