"""A choice between truth values, or between small whole numbers."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, opset_of, replace

_SMALL = (ir.DataType.INT8, ir.DataType.INT16, ir.DataType.UINT16)


class ChoiceOfMasks(Pass):
    """Writes a Where between truth values with And, Or and Not, one between small whole numbers as int32.

    ONNX allows both, and onnxruntime-web has no kernel for either on the CPU, so that a model with one makes no
    session; on WebGPU the first throws once it broadcasts. `c ? a : b` is `(c and a) or (not c and b)`, exactly;
    numbers of 8 or 16 bits are cast to int32 and back.
    """

    code = "choice-of-masks"
    after = ("clean-up",)

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Rewrite each, in branches and loops too."""
        edits = []
        for graph in list(model.graphs()):
            for node in list(graph):
                kind = _chosen(node)
                if kind is None:
                    continue
                add = Builder(graph, node, f"{node.name or 'Where'}/masks", opset_of(model))
                masks = kind == ir.DataType.BOOL
                result = _of_masks(add, node) if masks else _of_numbers(add, node, kind)
                result.shape = node.outputs[0].shape
                replace(node.outputs[0], result)
                graph.remove(node, safe=True)
                what = "truth values" if masks else kind.name.lower()
                edits.append(self.done(f"Where '{node.name}'", f"it chooses between {what}"))
        return edits


def _chosen(node: ir.Node) -> ir.DataType | None:
    """Return the type of what a node chooses between, if it is one without a kernel."""
    if node.op_type != "Where" or node.domain not in ("", "ai.onnx") or None in node.inputs:
        return None
    kinds = [value.dtype for value in (*node.inputs[1:], node.outputs[0]) if value is not None]
    return next((kind for kind in kinds if kind == ir.DataType.BOOL or kind in _SMALL), None)


def _of_masks(add: Builder, node: ir.Node) -> ir.Value:
    which, yes, no = node.inputs
    added = [add.op("And", which, yes), add.op("Not", which)]
    added.append(add.op("And", added[1], no))
    added.append(add.op("Or", added[0], added[2]))
    for value in added:
        value.type = ir.TensorType(ir.DataType.BOOL)
    return added[-1]


def _of_numbers(add: Builder, node: ir.Node, kind: ir.DataType) -> ir.Value:
    which, *sides = node.inputs
    wide = [add.op("Cast", side, to=ir.DataType.INT32.value) for side in sides]
    wide.append(add.op("Where", which, *wide))
    for value in wide:
        value.type = ir.TensorType(ir.DataType.INT32)
    result = add.op("Cast", wide[-1], to=kind.value)
    result.type = ir.TensorType(kind)
    return result
