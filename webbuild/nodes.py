"""Every node of a model as it is on disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx


def every_node(proto: onnx.ModelProto) -> Iterator[onnx.NodeProto]:
    """Yield the nodes of the graph, of the graphs inside it, and of the functions. Nesting costs no recursion."""
    waiting = [proto.graph.node, *(function.node for function in proto.functions)]
    while waiting:
        for node in waiting.pop():
            yield node
            for attribute in node.attribute:
                if attribute.type in (attribute.GRAPH, attribute.GRAPHS):
                    waiting += [graph.node for graph in (attribute.g, *attribute.graphs)]
