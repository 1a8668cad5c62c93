"""Topological order of nodes: ONNX requires it in a file, and ONNX Runtime sorts nodes when it loads."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx
    from google.protobuf.internal.containers import RepeatedCompositeFieldContainer

    Nodes = RepeatedCompositeFieldContainer[onnx.NodeProto]


def sort_nodes(proto: onnx.ModelProto) -> int:
    """Sort nodes topologically in the graph, its subgraphs, and the functions.

    The sort is stable. The nodes of a graph with a cycle keep their order.

    Returns:
        The number of nodes that moved.
    """
    waiting = [proto.graph.node, *(function.node for function in proto.functions)]
    moved = 0
    while waiting:
        nodes = waiting.pop()
        moved += _sort(nodes)
        waiting += [graph.node for node in nodes for graph in _subgraphs(node)]
    return moved


def _sort(nodes: Nodes) -> int:
    makers = {name: index for index, node in enumerate(nodes) for name in node.output if name}
    read = [{makers[name] for name in _names_read(node) if name in makers} for node in nodes]
    if all(maker < index for index, before in enumerate(read) for maker in before):
        return 0
    readers: list[list[int]] = [[] for _ in nodes]
    for index, before in enumerate(read):
        for maker in before:
            readers[maker].append(index)
    ready = [index for index, before in enumerate(read) if not before]  # ascending, so a heap
    order: list[int] = []
    while ready:
        order.append(heapq.heappop(ready))
        for index in readers[order[-1]]:
            read[index].discard(order[-1])
            if not read[index]:
                heapq.heappush(ready, index)
    if len(order) < len(nodes):
        return 0
    was = list(nodes)
    del nodes[:]
    nodes.extend(was[index] for index in order)
    return sum(index != position for position, index in enumerate(order))


def _names_read(node: onnx.NodeProto) -> Iterator[str]:
    """Yield the values that a node reads, also those that its subgraphs capture."""
    yield from node.input
    for graph in _subgraphs(node):
        own = {name for each in graph.node for name in each.output}
        own |= {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
        read = {name for each in graph.node for name in _names_read(each)}
        yield from (read | {output.name for output in graph.output}) - own


def _subgraphs(node: onnx.NodeProto) -> Iterable[onnx.GraphProto]:
    for attribute in node.attribute:
        if attribute.type in (attribute.GRAPH, attribute.GRAPHS):
            yield from (attribute.g, *attribute.graphs)
