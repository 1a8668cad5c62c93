"""Coordinate frame of a mask decoder's points, which may differ from the encoder's input size.

EfficientViT-SAM's encoder takes 512 pixels; its decoder takes points in a frame of 1,024, as SAM does.
"""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.manifest.manifest import PointPromptInput
from webbuild.passes.rewrite import constant
from webbuild.tasks.registry import kind_of
from webbuild.tasks.task_match import TaskMatch

_MOVING = frozenset(
    {"Add", "Cast", "Concat", "Expand", "Gather", "GatherElements", "GatherND", "Identity", "Pad", "Reshape",
     "ScatterElements", "ScatterND", "Slice", "Split", "Squeeze", "Sub", "Transpose", "Unsqueeze", "Where"}
)  # fmt: skip
"""Operators that keep points in pixels."""
_LEAST_SIDE = 8


def with_point_scale(match: TaskMatch, model: ir.Model) -> TaskMatch:
    """Return the match of a decoder with the side of its points' frame, if the graph shows it.

    Every other match is returned unchanged.
    """
    names = {
        spec.name for spec in match.inputs if isinstance(spec, PointPromptInput) and spec.role in ("points", "box")
    }
    side = point_side([each for each in model.graph.inputs if each.name in names])
    return match if side is None else kind_of(match.task).with_point_side(match, side)


def point_side(points: list[ir.Value]) -> int | None:
    """Return the number by which the graph divides points in pixels, None if there is not exactly one.

    (points + 0.5) / 1024  ->  1024, and (points + 0.5) * (1 / 1024)  ->  1024.
    """
    sides: set[int] = set()
    visited: set[ir.Value] = set()
    left = list(points)
    while left:
        value = left.pop()
        for use in value.uses():
            node = use.node
            if node.op_type in ("Div", "Mul"):
                sides |= _divisor(node, use.idx)
            elif node.op_type in _MOVING:
                left += [each for each in node.outputs if each not in visited]
                visited |= set(node.outputs)
    return sides.pop() if len(sides) == 1 else None


def _divisor(node: ir.Node, index: int) -> set[int]:
    """Return the integer by which a node divides one of its inputs; empty if it is not one integer for all elements."""
    other = constant(node.inputs[1 - index])
    if other is None or not other.size or other.dtype.kind != "f" or np.ptp(other) or not other.ravel()[0]:
        return set()
    number = float(other.ravel()[0])
    side = number if node.op_type == "Div" else 1 / number
    exact = abs(side - round(side)) < 1e-3 and (node.op_type == "Mul" or index == 0)
    return {round(side)} if exact and side >= _LEAST_SIDE else set()
