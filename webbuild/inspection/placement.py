"""Placement of each node: kernel lookup, then the shape subgraphs that the engine moves to the CPU."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

import onnx_ir as ir
from msgspec import Struct

from webbuild.inspection.constant_folding import folded_nodes
from webbuild.inspection.cpu_inputs import cpu_input_indices, has_cpu_output
from webbuild.inspection.graph import ScopedNode
from webbuild.inspection.kernels import KernelMatch, find_kernel
from webbuild.targets.table import KernelTable

PlacementKind = Literal["gpu", "cpu", "folded", "none"]
"""On the GPU; on the CPU; folded at load time; or no kernel."""

_MAX_FOLDED_SIZE = 100
"""Maximum elements of a constant that moves to the CPU with a node."""

_FP16_TYPES = (ir.DataType.FLOAT16, ir.DataType.BFLOAT16)


class NodePlacement(Struct, frozen=True):
    """A node's placement and kernel; `follows_shape` if it has a GPU kernel but follows a shape to the CPU."""

    kind: PlacementKind
    kernel: KernelMatch
    follows_shape: bool = False


def place_nodes(
    nodes: Sequence[ScopedNode], table: KernelTable, forced: Collection[str] = ()
) -> dict[ir.Node, NodePlacement]:
    """Return the placement of each node, given in graph order. `forced` names the nodes assigned to the CPU."""
    kernels = {each.node: find_kernel(each.node, each.opset, table) for each in nodes}
    impossible = {node for node, kernel in kernels.items() if kernel.placement == "none"}
    folded = folded_nodes(nodes, impossible - {node for node in kernels if node.op_type == "Dropout"})
    on_gpu = {
        node
        for node, kernel in kernels.items()
        if kernel.placement == "gpu" and node not in folded and node.name not in forced and _supports_attention(node)
    }
    pulled = _shape_followers(nodes, on_gpu)
    placings = {}
    for node, kernel in kernels.items():
        where: PlacementKind = "folded" if node in folded else "none" if kernel.placement == "none" else "cpu"
        if node in on_gpu and node not in pulled:
            where = "gpu"
        placings[node] = NodePlacement(where, kernel, node in pulled)
    return placings


def _supports_attention(node: ir.Node) -> bool:
    """Whether the GPU kernel of `com.microsoft.Attention` supports the inputs: no mask, no past."""
    if node.op_type != "Attention" or node.domain != "com.microsoft":
        return True
    return all(index >= len(node.inputs) or node.inputs[index] is None for index in (3, 4, 6))


def _shape_followers(nodes: Sequence[ScopedNode], on_gpu: set[ir.Node]) -> set[ir.Node]:
    """Return the nodes with a GPU kernel that only read values on the CPU, starting from a Shape.

    As in the engine, the outputs of nodes without a GPU kernel do not count as on the CPU.
    """
    on_cpu: set[ir.Value] = set()
    pulled: set[ir.Node] = set()
    for each in nodes:
        node = each.node
        if node not in on_gpu:
            continue
        if has_cpu_output(node):
            on_cpu |= set(node.outputs)
        elif any(value in on_cpu for value in node.inputs) and all(
            _keeps_on_cpu(node, index, value, on_cpu) for index, value in enumerate(node.inputs) if value is not None
        ):
            pulled.add(node)
            on_cpu |= set(node.outputs)
    return pulled


def _keeps_on_cpu(node: ir.Node, index: int, value: ir.Value, on_cpu: set[ir.Value]) -> bool:
    if value.dtype in _FP16_TYPES:
        return False
    if value in on_cpu:
        return index not in cpu_input_indices(node)
    stored = value.const_value
    return value.is_graph_input() or (stored is not None and stored.size <= _MAX_FOLDED_SIZE)
