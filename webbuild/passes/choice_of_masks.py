"""A choice between truth values."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, opset_of, replace


class ChoiceOfMasks(Pass):
    """Writes a Where between truth values with And, Or and Not.

    ONNX allows it, and ONNX Runtime has no kernel for it on the CPU, so that a model with one makes no session; on
    WebGPU it throws once it broadcasts. `c ? a : b` is `(c and a) or (not c and b)`, exactly.
    """

    code = "choice-of-masks"
    after = ("clean-up",)

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Rewrite each, in branches and loops too."""
        edits = []
        for graph in list(model.graphs()):
            for node in list(graph):
                if not _chooses_masks(node):
                    continue
                add = Builder(graph, node, f"{node.name or 'Where'}/masks", opset_of(model))
                which, yes, no = node.inputs
                added = [add.op("And", which, yes), add.op("Not", which)]
                added.append(add.op("And", added[1], no))
                added.append(result := add.op("Or", added[0], added[2]))
                for value in added:
                    value.type = ir.TensorType(ir.DataType.BOOL)
                result.shape = node.outputs[0].shape
                replace(node.outputs[0], result)
                graph.remove(node, safe=True)
                edits.append(self.done(f"Where '{node.name}'", "it chooses between truth values"))
        return edits


def _chooses_masks(node: ir.Node) -> bool:
    if node.op_type != "Where" or node.domain not in ("", "ai.onnx") or None in node.inputs:
        return False
    return any(value is not None and value.dtype == ir.DataType.BOOL for value in (*node.inputs[1:], node.outputs[0]))
