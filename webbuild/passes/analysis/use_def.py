"""Uses of an index vector: through layout changes to the Gathers that read it, and the limit of its length."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import onnx_ir as ir

from webbuild.passes.rewrite import constant, consumers

LAYOUT_OPS = {"Transpose", "Squeeze", "Unsqueeze", "Reshape", "Expand", "Identity", "Cast"}
"""Operators that only change the layout or type of an index vector."""


class UnknownNmsPatternError(Exception):
    """The operators after NMS match no known pattern; the message says where and why."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(reason)
        self.where = where
        self.reason = reason


@dataclass
class IndexUses:
    """The nodes that gather rows by an index vector, the limit on its length, and the Shape nodes that read it."""

    gathers: list[ir.Node] = field(default_factory=list)
    limit: int | None = None
    shapes: list[ir.Node] = field(default_factory=list)


def trace_indices(start: ir.Value, where: str, but: ir.Node | None = None) -> IndexUses:
    """Trace an index vector to the nodes that gather by it; do not follow the node `but`."""
    uses = IndexUses()
    waiting = [start]
    while waiting:
        value = waiting.pop()
        for node in consumers(value):
            is_data = bool(node.inputs) and node.inputs[0] is value
            if node is but or node.op_type == "Shape" or (not is_data and node.op_type == "Expand"):
                uses.shapes += [node] if node.op_type == "Shape" else []
                continue
            if not is_data and _gathers_rows(node):
                uses.gathers.append(node)
            elif (is_data and (node.op_type in LAYOUT_OPS or selects_box_index(node))) or (
                is_data and node.op_type in ("Max", "Min") and len(node.inputs) == 1
            ):
                waiting.append(node.outputs[0])
            elif is_data and (limit := _limit(node)) is not None:
                uses.limit = limit
                waiting.append(node.outputs[0])
            else:
                raise UnknownNmsPatternError(
                    where, f"indices go into {node.op_type} '{node.name}', which is not supported"
                )
    return uses


def _gathers_rows(node: ir.Node) -> bool:
    along = {"Gather": "axis", "GatherND": "batch_dims"}.get(node.op_type)
    return along is not None and node.attributes.get_int(along, 0) == 0


def selects_box_index(node: ir.Node) -> bool:
    """Whether a node takes the box index out of NonMaxSuppression's (batch, class, box) triples."""
    if node.op_type == "Gather":
        index = constant(node.inputs[1])
        return node.attributes.get_int("axis", 0) == 1 and index is not None and bool(np.all(index == 2))
    bounds = slice_bounds(node)
    return bounds is not None and bounds[0] == 2 and bounds[2] == 1


def _limit(node: ir.Node) -> int | None:
    """Return n if a node keeps the first n elements."""
    bounds = slice_bounds(node)
    return bounds[1] if bounds is not None and bounds[0] == 0 and bounds[2] == 0 and bounds[1] > 0 else None


def slice_bounds(node: ir.Node) -> tuple[int, int, int] | None:
    """Return (start, end, axis) of a Slice with constant bounds along one axis with step 1."""
    if node.op_type != "Slice":
        return None
    values = [constant(value) for value in node.inputs[1:]]
    if any(value is None or value.size != 1 for value in values) or len(values) < 2:
        return None
    start, end, *rest = (int(value.item()) for value in values if value is not None)
    axis = rest[0] if rest else 0
    return (start, end, axis) if len(rest) < 2 or rest[1] == 1 else None


def skip_layout_ops(value: ir.Value | None) -> ir.Value | None:
    """Return the value before the layout operators that lead to this one."""
    while value is not None and (node := value.producer()) is not None and node.op_type in LAYOUT_OPS:
        value = node.inputs[0]
    return value
