"""Gathers on the CPU that the engine replaces by one Split: its log lists the Split, `inspect` the model's nodes.

    Gather(x [2, n], 0), Gather(x, 1)  ->  Squeeze(Split(x)), Squeeze(Split(x))

From the engine's source (`GatherToSplitFusion`), and measured on 1.30.0. The engine fuses only nodes on the CPU, after
placement, wherever x is computed. x may not be the output of Shape, nor one of several outputs. Each part of x is
gathered once, and nothing else reads x.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import onnx_ir as ir

from webbuild.passes.rewrite import constant, known_rank


def fused_operators(nodes: Sequence[ir.Node]) -> list[str]:
    """Return the operators of nodes on the CPU after the engine's fusions."""
    operators = [node.op_type for node in nodes]
    for gathers in split_gathers(nodes):
        for node in gathers:
            operators.remove("Gather")
            operators += ["Squeeze"] * (known_rank(node.inputs[1]) == 0)
        operators.append("Split")
    return operators


def split_gathers(nodes: Collection[ir.Node]) -> Iterator[Sequence[ir.Node]]:
    """Yield each group of Gathers, among the nodes on the CPU, that becomes one Split."""
    for value in dict.fromkeys(node.inputs[0] for node in nodes if node.op_type == "Gather"):
        readers = [] if value is None else [use.node for use in value.uses()]
        if value is not None and _may_be_split(value) and all(node in nodes for node in readers):
            parts = {_part(node, value) for node in readers}
            axes = {part[0] for part in parts if part is not None}
            if None not in parts and len(axes) == 1 and len(parts) == len(readers) == _size(value, *axes) > 1:
                yield readers


def _may_be_split(value: ir.Value) -> bool:
    producer = value.producer()
    return producer is None or (producer.op_type != "Shape" and len(producer.outputs) == 1)


def _size(value: ir.Value, axis: int) -> int:
    """Return the size of an axis, 0 if it is dynamic."""
    size = None if value.shape is None else value.shape[axis]
    return size if isinstance(size, int) else 0


def _part(node: ir.Node, value: ir.Value) -> tuple[int, int] | None:
    """Return the axis and the index of a Gather that takes one part of a value; None for any other node."""
    index = constant(node.inputs[1]) if node.op_type == "Gather" and node.inputs[0] is value else None
    if index is None or index.size != 1 or value.shape is None:
        return None
    axis = node.attributes.get_int("axis", 0) % len(value.shape)
    size = _size(value, axis)
    return (axis, int(index.item()) % size) if size else None
