"""A whole model written in a newer opset, node by node."""

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
    """Return what writes each node that means something else in a newer opset, None where nothing does."""
    current = opset_version(model)
    nodes = list(standard_nodes(model))
    return {
        node: upgrade(node, current, opset) for node in nodes if downgrade_blocker(node, opset, current) is not None
    }


def write_opset(model: ir.Model, opset: int, writers: Writers) -> None:
    """Write the model in a newer opset; there is a writer for each node that needs one."""
    for graph in graphs_of(model):
        graph.opset_imports[""] = opset
    inliner = Inliner(model)
    for write in writers.values():
        assert write is not None
        write(inliner)


def raise_opset(model: ir.Model, opset: int) -> str | None:
    """Write a model of an older opset in this one; return why it stays as it is, None where it is not older."""
    if opset_version(model) >= opset:
        return None
    older = f"the model's opset is older than {opset}"
    if model.functions:
        return f"{older}, and it has functions"
    writers = opset_writers(model, opset)
    stuck = next((node for node, write in writers.items() if write is None), None)
    if stuck is not None:
        return f"{older}, in which {stuck.op_type} '{stuck.name}' has no form that means the same"
    write_opset(model, opset, writers)
    return None
