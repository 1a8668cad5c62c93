"""Helpers that match a graph written by an exporter, backwards from its end."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.rewrite import static_shape


class Mismatch(Exception):  # noqa: N818 - not an error: the graph is a different one
    """The graph is not one that the exporter writes."""


def unreshaped(value: ir.Value | None) -> ir.Value:
    """Return the value before all Reshapes that lead to this one."""
    while value is not None and (node := value.producer()) is not None and node.op_type == "Reshape":
        value = node.inputs[0]
    if value is None:
        raise Mismatch
    return value


def producer(value: ir.Value | None, *operators: str) -> ir.Node:
    """Return the node that computes a value: a standard operator, and one of `operators` if any are named."""
    node = None if value is None else value.producer()
    if node is None or node.domain not in ("", "ai.onnx") or (operators and node.op_type not in operators):
        raise Mismatch
    return node


def shape_of(value: ir.Value | None, rank: int) -> list[int]:
    """Return the static shape of a value, which must have this rank."""
    shape = static_shape(value)
    if shape is None or len(shape) != rank:
        raise Mismatch
    return shape
