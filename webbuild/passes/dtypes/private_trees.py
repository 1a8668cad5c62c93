"""Computations before a Cast that nothing but the Cast reads."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.rewrite import consumers


def private_trees(trees: dict[ir.Node, list[ir.Node]]) -> dict[ir.Node, list[ir.Node]]:
    """Return the Casts, each with the nodes before it, whose nodes only these Casts and nodes read.

    With other readers, the int64 nodes would stay on the CPU anyway.
    """
    members = {*trees, *(node for tree in trees.values() for node in tree)}
    private = {cast: tree for cast, tree in trees.items() if all(_is_read_by(node, members) for node in tree)}
    return private if len(private) == len(trees) else private_trees(private)


def _is_read_by(node: ir.Node, members: set[ir.Node]) -> bool:
    """Whether only `members` read a node's output."""
    value = node.outputs[0]
    return not value.is_graph_output() and all(reader in members for reader in consumers(value))
