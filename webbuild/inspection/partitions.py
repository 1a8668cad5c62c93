"""CPU partitions: groups of nodes on the CPU, and the tensors copied between them and the GPU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Literal

import onnx_ir as ir
from msgspec import Struct

from webbuild.inspection.context import InspectionContext
from webbuild.inspection.cpu_inputs import cpu_input_indices, has_cpu_output
from webbuild.inspection.result import CpuPartition, Transfer
from webbuild.passes.rewrite import nbytes


class PartitionTransfer(Struct, frozen=True, eq=False):
    """A copy, and the CPU nodes that require it."""

    transfer: Transfer
    nodes: tuple[ir.Node, ...]


def find_transfers(context: InspectionContext) -> list[PartitionTransfer]:
    """Return every copy between CPU and GPU, each tensor once per direction."""
    index = {each.node: position for position, each in enumerate(context.nodes)}
    return [
        crossing
        for value, readers in _consumers(context).items()
        for crossing in _value_transfers(context, index, value, readers)
    ]


def find_partitions(context: InspectionContext, transfers: list[PartitionTransfer]) -> list[CpuPartition]:
    """Return the groups of connected CPU nodes, most copied bytes first."""
    index = {each.node: position for position, each in enumerate(context.nodes)}
    groups: dict[ir.Node, list[ir.Node]] = {}
    root = _connected_components(context)
    for node in root:
        groups.setdefault(_root(root, node), []).append(node)
    copies: dict[ir.Node, list[Transfer]] = {}
    for crossing in transfers:
        for top in dict.fromkeys(_root(root, node) for node in crossing.nodes if node in root):
            copies.setdefault(top, []).append(crossing.transfer)
    partitions = [
        CpuPartition(
            tuple(index[node] for node in nodes),
            dict(Counter(node.op_type for node in nodes).most_common()),
            tuple(copies.get(top, ())),
        )
        for top, nodes in groups.items()
    ]
    return sorted(
        partitions, key=lambda partition: (-partition.transfer_bytes, -len(partition.transfers), partition.nodes)
    )


def _consumers(context: InspectionContext) -> Mapping[ir.Value, list[tuple[ir.Node, int]]]:
    readers: dict[ir.Value, list[tuple[ir.Node, int]]] = {}
    for each in context.nodes:
        if context.placements[each.node].kind in ("gpu", "cpu"):
            for index, value in enumerate(each.node.inputs):
                if value is not None and not context.is_constant(value):
                    readers.setdefault(value, []).append((each.node, index))
    return readers


def _value_transfers(
    context: InspectionContext, index: Mapping[ir.Node, int], value: ir.Value, readers: list[tuple[ir.Node, int]]
) -> Iterator[PartitionTransfer]:
    producer = _computing_producer(context, value.producer())
    on_cpu = [node for node, at in readers if context.on_cpu(node) or at in cpu_input_indices(node)]
    on_gpu = [node for node, at in readers if context.on_gpu(node) and at not in cpu_input_indices(node)]

    def copy(to: Literal["cpu", "gpu"], ends: list[ir.Node]) -> Transfer:
        at = None if producer is None else index[producer]
        implicit = producer is not None and all(node.graph is not producer.graph for node in ends)
        return Transfer(value.name or "", to, nbytes(value), at, tuple(index[node] for node in ends), implicit)

    if producer is not None and context.on_gpu(producer) and not has_cpu_output(producer):
        if on_cpu:
            yield PartitionTransfer(copy("cpu", on_cpu), tuple(on_cpu))
    elif on_gpu and producer is not None:
        yield PartitionTransfer(copy("gpu", on_gpu), (producer,))
    elif on_gpu and on_cpu and value.is_graph_input():
        yield PartitionTransfer(copy("gpu", on_gpu), tuple(on_cpu))


def _computing_producer(context: InspectionContext, producer: ir.Node | None) -> ir.Node | None:
    """Return the node that computes a value, past Identity and Dropout, which the engine removes."""
    while producer is not None and context.placements[producer].kind == "folded" and producer.inputs:
        source = producer.inputs[0]
        producer = None if source is None else source.producer()
    return producer


def _connected_components(context: InspectionContext) -> dict[ir.Node, ir.Node]:
    """Return a union-find forest over the CPU nodes: connected nodes have the same root."""
    root = {each.node: each.node for each in context.nodes if context.on_cpu(each.node)}
    for node in root:
        for value in node.inputs:
            producer = None if value is None else _computing_producer(context, value.producer())
            if producer is not None and producer in root:
                root[_root(root, node)] = _root(root, producer)
    return root


def _root(root: dict[ir.Node, ir.Node], node: ir.Node) -> ir.Node:
    while root[node] is not node:
        root[node] = root[root[node]]
        node = root[node]
    return node
