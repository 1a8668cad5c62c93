"""Conversion of a whole model to a newer opset, node by node."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import onnx_ir as ir

from webbuild.passes.graphs import graphs_of
from webbuild.passes.inline_subgraph import Inliner
from webbuild.passes.opset.node_downgrade import downgrade_blocker
from webbuild.passes.opset.node_upgrade import upgrade
from webbuild.passes.rewrite import opset_version, standard_nodes

Writers = Mapping[ir.Node, Callable[[Inliner], None] | None]


def opset_writers(model: ir.Model, opset: int) -> Writers:
    """Return the converter of each node whose meaning differs in a newer opset, None if it cannot be converted."""
    current = opset_version(model)
    nodes = list(standard_nodes(model))
    return {
        node: upgrade(node, current, opset) for node in nodes if downgrade_blocker(node, opset, current) is not None
    }


def write_opset(model: ir.Model, opset: int, writers: Writers) -> None:
    """Convert the model to a newer opset; no writer may be None."""
    for graph in graphs_of(model):
        graph.opset_imports[""] = opset
    inliner = Inliner(model)
    for write in writers.values():
        assert write is not None
        write(inliner)


def raise_opset(model: ir.Model, opset: int) -> str | None:
    """Convert a model of an older opset to this one; return why it cannot be, None if it is converted or not older."""
    if opset_version(model) >= opset:
        return None
    older = f"the model's opset is older than {opset}"
    if model.functions:
        return f"{older}, and it has functions"
    writers = opset_writers(model, opset)
    stuck = next((node for node, write in writers.items() if write is None), None)
    if stuck is not None:
        return f"{older}, and {stuck.op_type} '{stuck.name}' cannot be converted"
    write_opset(model, opset, writers)
    return None
