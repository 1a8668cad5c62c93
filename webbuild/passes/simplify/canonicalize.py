from __future__ import annotations

import logging
import re
from collections import Counter

import onnx_ir as ir
import onnx_ir.passes.common as common

from webbuild.model.unused_name import unused_name
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.graphs import each_graph, graph_names, graphs_of
from webbuild.passes.rewrite import constant, is_read, replace_all_uses, standard_nodes

_GENERATED = re.compile(r"^(?:splits|squeeze_axes)$|_token_\d+$")
"""Names that ONNX Runtime's graph optimizations generate."""


class Canonicalize(Pass):
    """Removes redundant nodes: unused nodes and weights, Identity, common subexpressions, Dropout outside training.

        Identity(x)                     ->  x
        Dropout(x)                      ->  x                 outside training
        f(x), f(x)                      ->  f(x)              common subexpressions
        Constant<value>                 ->  initializer

    Why: an export that was never simplified computes the mask of its NMS several times. A Dropout left in a graph
    makes onnxruntime-web reject the session when optimizations are off.

    How: of several nodes with the same operator and inputs only the first stays. Constants become initializers,
    initializers are no longer listed as inputs, and functions are inlined.

    Exact.
    """

    code = "canonicalize"
    scope = "whole model"

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        logging.getLogger(ir.__name__).setLevel(logging.ERROR)  # it warns about each initializer that it skips
        before = _count(model)
        _drop_identities(model)
        _drop_dropouts(model)
        for tidy in (
            common.InlinePass(),
            common.RemoveInitializersFromInputsPass(),
            common.LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0),
            common.RemoveUnusedNodesPass(),
            common.RemoveUnusedFunctionsPass(),  # type: ignore[no-untyped-call]
            common.RemoveUnusedOpsetsPass(),
            common.DeduplicateInitializersPass(size_limit=4096),
        ):
            tidy(model)
        for part in each_graph(model):
            common.CommonSubexpressionEliminationPass()(part)
            _rename_generated(part)
        gone = before - _count(model)
        listing = ", ".join(f"{count} {op}" for op, count in sorted(gone.items()))
        return [self.applied("graph", f"removed {listing}")] if gone else []


def _rename_generated(part: ir.Model) -> None:
    """Rename weights that ONNX Runtime named in a saved graph: it would generate the names again and fail."""
    taken = graph_names(part.graph)
    for weight in list(part.graph.initializers.values()):
        name = weight.name or ""
        if _GENERATED.search(name) and not weight.is_graph_input() and not weight.is_graph_output():
            weight.name = unused_name(taken, f"{name}/saved")
            taken.add(weight.name)


def _drop_identities(model: ir.Model) -> None:
    """Remove Identity nodes from every graph.

    An Identity whose output is an output of the graph stays if it reads a graph input, a weight, another output or a
    value of an outer graph.
    """
    for node in standard_nodes(model):
        if node.op_type != "Identity" or not is_read(node.outputs[0]):
            continue
        value, copy = node.inputs[0], node.outputs[0]
        if value is None or not isinstance(value.type, ir.TensorType | None):
            continue
        named = value.is_graph_input() or value.is_graph_output() or value.is_initializer()
        if not (copy.is_graph_output() and (named or value.graph is not copy.graph)):
            replace_all_uses(copy, value)


def _drop_dropouts(model: ir.Model) -> None:
    """Let the readers of a Dropout outside training read its input."""
    for node in standard_nodes(model):
        only_first = is_read(node.outputs[0]) and not any(map(is_read, node.outputs[1:]))
        if node.op_type == "Dropout" and only_first and not _is_training(node):
            replace_all_uses(node.outputs[0], node.inputs[0])


def _count(model: ir.Model) -> Counter[str]:
    kinds = Counter(node.op_type for graph in graphs_of(model) for node in graph)
    return Counter({**kinds, "input with a default": len(model.graph.inputs)})


def _is_training(node: ir.Node) -> bool:
    if len(node.inputs) < 3 or node.inputs[2] is None:
        return False
    training = constant(node.inputs[2])
    return training is None or bool(training.any())
