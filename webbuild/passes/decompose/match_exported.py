"""Steps of matching a graph that exporters write, backwards from its end."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.rewrite import static_shape


class Mismatch(Exception):  # noqa: N818 - no error: the graph is another one
    """The graph is not one that exporters write."""


def unreshaped(value: ir.Value | None) -> ir.Value:
    """Return the value that this one is a Reshape of: its elements are in the same order."""
    while value is not None and (node := value.producer()) is not None and node.op_type == "Reshape":
        value = node.inputs[0]
    if value is None:
        raise Mismatch
    return value


def producer(value: ir.Value | None, *operators: str) -> ir.Node:
    """Return the node of the standard operators, one of those named, that computes a value."""
    node = None if value is None else value.producer()
    if node is None or node.domain not in ("", "ai.onnx") or (operators and node.op_type not in operators):
        raise Mismatch
    return node


def shape_of(value: ir.Value | None, rank: int) -> list[int]:
    """Return the known shape of a value of a rank."""
    shape = static_shape(value)
    if shape is None or len(shape) != rank:
        raise Mismatch
    return shape
