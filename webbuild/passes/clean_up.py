"""Clean-up."""

from __future__ import annotations

from collections import Counter

import onnx_ir as ir
import onnx_ir.passes.common as common

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import constant, nodes_of, replace


class CleanUp(Pass):
    """Removes what computes nothing new: unused nodes and weights, Identity, Dropout outside training.

    Of nodes that compute the same from the same only the first stays: an export that was never simplified has the
    mask of its suppression several times. Constants become initializers, initializers that are listed as inputs stop
    being inputs, functions are inlined. A Dropout left in a graph makes onnxruntime-web refuse the session when
    optimisations are off.
    """

    code = "clean-up"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Run onnx-ir's own clean-up passes, and remove Dropout."""
        before = _count(model)
        _drop_identities(model)
        for node in nodes_of(model, "Dropout"):
            if not _trains(node) and not node.outputs[1:] and node.inputs[0] is not None:
                replace(node.outputs[0], node.inputs[0])
        for tidy in (
            common.InlinePass(),
            common.RemoveInitializersFromInputsPass(),
            common.LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0),
            common.RemoveUnusedNodesPass(),
            common.RemoveUnusedFunctionsPass(),  # type: ignore[no-untyped-call]
            common.RemoveUnusedOpsetsPass(),
            common.DeduplicateInitializersPass(size_limit=4096),
            common.CommonSubexpressionEliminationPass(),
        ):
            tidy(model)
        gone = before - _count(model)
        listing = ", ".join(f"{count} {op}" for op, count in sorted(gone.items()))
        return [self.done("graph", f"removed {listing}")] if gone else []


def _drop_identities(model: ir.Model) -> None:
    """Remove Identity from the main graph.

    In a branch of an If it may be what makes a value from outside the branch's output, and it may be what gives an
    input or a weight the name of an output.
    """
    for node in nodes_of(model, "Identity"):
        value, copy = node.inputs[0], node.outputs[0]
        if value is None:
            continue
        named = value.is_graph_input() or value.is_graph_output() or value.is_initializer()
        if not (copy.is_graph_output() and named):
            replace(copy, value)


def _count(model: ir.Model) -> Counter[str]:
    return Counter({**Counter(node.op_type for node in model.graph), "input with a default": len(model.graph.inputs)})


def _trains(node: ir.Node) -> bool:
    if len(node.inputs) < 3 or node.inputs[2] is None:
        return False
    training = constant(node.inputs[2])
    return training is None or bool(training.any())
