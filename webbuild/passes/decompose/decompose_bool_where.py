from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import replace_all_uses, static_shape
from webbuild.passes.workarounds.base import Defect, DefectContext, Symptom

_SMALL_INTS = (ir.DataType.INT8, ir.DataType.INT16, ir.DataType.UINT16)


class DecomposeBoolWhere(Defect, Pass):
    """Where(c, a, b) -> Or(And(c, a), And(Not(c), b)) for booleans; Cast(Where(c, Cast(a), Cast(b))) for 8 or 16 bits.

    Defect: the run throws: the shader of a boolean Where with inputs of different shapes does not compile.

    Why: the run fails with `[Invalid ShaderModule "Where"]`, and the error appears at a later node. If all three inputs
    have the same shape, the answer is right. No build has a CPU kernel of Where for bool, 8 bits or 16 bits, so no
    session can be created if such a node is on the CPU. The pass therefore rewrites all of them, for every target.

    Limits: none.

    Exact: the same values; the cast to int32 and back loses nothing.

    Source: measured on 1.30.0.
    """

    code = "decompose-bool-where"
    finding = "where-bool"
    after = ("canonicalize",)
    operators = ("Where",)
    fix = "write it with And and Not, or cast to int32"
    probe = "binary/Where bool"
    also_rewrites = "booleans of one shape and small integers: there is no kernel for them on the CPU"

    def affects(self, node: ir.Node, context: DefectContext) -> Symptom | None:
        shapes = [static_shape(value) for value in node.inputs]
        same = shapes[0] is not None and all(shape == shapes[0] for shape in shapes)
        if _unsupported_dtype(node) != ir.DataType.BOOL or same:
            return None
        return Symptom("its shader does not compile for booleans")

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite each Where of booleans or of 8- or 16-bit integers."""
        rewrites = []
        for node in list(model.graph):
            kind = _unsupported_dtype(node)
            if kind is None:
                continue
            add = Builder(model.graph, node, f"{node.name or 'Where'}/masks")
            masks = kind == ir.DataType.BOOL
            result = _where_bool(add, node) if masks else _where_small_int(add, node, kind)
            result.shape = node.outputs[0].shape
            replace_all_uses(node.outputs[0], result)
            model.graph.remove(node, safe=True)
            what = "booleans" if masks else kind.name.lower()
            rewrites.append(self.applied(node, f"it chooses between {what}"))
        return rewrites


def _unsupported_dtype(node: ir.Node) -> ir.DataType | None:
    """Return the type of a Where's operands if Where has no kernel for it, else None."""
    if node.op_type != "Where" or node.domain not in ("", "ai.onnx") or None in node.inputs:
        return None
    kinds = [value.dtype for value in (*node.inputs[1:], node.outputs[0]) if value is not None]
    return next((kind for kind in kinds if kind == ir.DataType.BOOL or kind in _SMALL_INTS), None)


def _where_bool(add: Builder, node: ir.Node) -> ir.Value:
    which, yes, no = node.inputs
    added = [add.op("And", which, yes), add.op("Not", which)]
    added.append(add.op("And", added[1], no))
    added.append(add.op("Or", added[0], added[2]))
    for value in added:
        value.type = ir.TensorType(ir.DataType.BOOL)
    return added[-1]


def _where_small_int(add: Builder, node: ir.Node, kind: ir.DataType) -> ir.Value:
    which, *sides = node.inputs
    wide = [add.cast(side, ir.DataType.INT32) for side in sides]
    wide.append(add.op("Where", which, *wide))
    for value in wide:
        value.type = ir.TensorType(ir.DataType.INT32)
    result = add.cast(wide[-1], kind)
    result.type = ir.TensorType(kind)
    return result
