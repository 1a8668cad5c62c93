"""What the engine makes of nodes that it left to the CPU: its log names those, `inspect` names the model's own."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from webbuild.passes.rewrite import constant, known_rank


def fused_operators(nodes: Sequence[ir.Node]) -> list[str]:
    """Return the operators of nodes on the CPU after the engine's fusions.

    Gather(x [2, N], 0), Gather(x, 1) -> Squeeze(Split(x)), Squeeze(Split(x)), where x is computed on the CPU, too, or
    an input. Measured on 1.30.0.
    """
    operators = [node.op_type for node in nodes]
    parts: dict[tuple[ir.Value, int, int], dict[int, ir.Node]] = {}
    for node in nodes:
        part = _part(node)
        if part is not None and ((producer := part[0].producer()) is None or producer in nodes):
            value, axis, size, index = part
            parts.setdefault((value, axis, size), {})[index] = node
    for (_, _, size), found in parts.items():
        if len(found) == size > 1:
            for node in found.values():
                operators.remove("Gather")
                operators += ["Squeeze"] * (known_rank(node.inputs[1]) == 0)
            operators.append("Split")
    return operators


def _part(node: ir.Node) -> tuple[ir.Value, int, int, int] | None:
    """Return what a Gather takes one part of, the axis, its size and the part; None for what takes none or many."""
    value, index = (node.inputs[0], constant(node.inputs[1])) if node.op_type == "Gather" else (None, None)
    if value is None or value.shape is None or index is None or index.size != 1:
        return None
    axis = node.attributes.get_int("axis", 0) % len(value.shape)
    size = value.shape[axis]
    return (value, axis, size, int(index.item()) % size) if isinstance(size, int) and size else None
