from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.channel_affine import Affine, batch_norm_affine
from webbuild.passes.analysis.reshapes import RESHAPES
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import (
    constant,
    consumers,
    find_nodes,
    input_value,
    known_rank,
    only_reader,
    replace_all_uses,
)


class FoldBatchNorm(Pass):
    """`BatchNormalization(MatMul(x, w))` -> `MatMul(x, s w) + t`; `Conv(BatchNormalization(x), w)` alike.

        BatchNormalization(Flatten(MatMul(x, w)))    ->  Flatten(MatMul(x, s w) + t)
        Conv(BatchNormalization(x), w, b)            ->  Conv(x, s w, b + w t)

    Why: it saves a shader and a copy of the tensor. `fold-conv-scale` folds a BatchNormalization after a convolution.
    LeViT normalizes after its linear layers, Visformer and InceptionNeXt before a convolution.

    How: with s = scale / sqrt(variance + epsilon) and t = bias - s mean for each channel.

    Limits: float32, constant weights that nothing else reads; a convolution without padding.

    Exact except for the order of products: accurate to 1e-5.
    """

    code = "fold-batch-norm"
    after = ("canonicalize", "fold-constants")
    tolerance = 1e-5

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, "BatchNormalization"):
            affine = batch_norm_affine(node)
            if affine is None or node.outputs[0].is_graph_output():
                continue
            if (product := _product_before(node)) is not None:
                _fold_back(model.graph, product, affine)
                where = f"is folded into {product.op_type} '{product.name}'"
            elif convs := _convs_after(node):
                for conv in convs:
                    _fold_forward(model.graph, conv, affine)
                where = f"is folded into {convs[0].op_type} '{convs[0].name}'"
            else:
                continue
            replace_all_uses(node.outputs[0], node.inputs[0])
            model.graph.remove(node, safe=True)
            rewrites.append(self.applied(node, where))
        return rewrites


def _product_before(node: ir.Node) -> ir.Node | None:
    """Return the MatMul whose columns are the channels of a normalization, if nothing else reads values in between."""
    value, width = node.inputs[0], _width(node.outputs[0])
    if known_rank(value) != 2 or width is None:  # with another rank, the channels are not the last axis
        return None
    while value is not None and (before := value.producer()) is not None and before.graph is node.graph:
        if only_reader(value) is None or _width(value) != width:
            return None
        if before.op_type == "MatMul":
            return before if _is_weight(before.inputs[1], 2) else None
        if before.op_type not in RESHAPES:
            return None
        value = before.inputs[0]
    return None


def _convs_after(node: ir.Node) -> list[ir.Node]:
    """Return the readers of a normalization if all are convolutions without padding, else none."""
    readers = consumers(node.outputs[0])
    fits = all(
        each.op_type == "Conv"
        and each.graph is node.graph
        and each.inputs[0] is node.outputs[0]
        and not any(each.attributes.get_ints("pads", []))
        and each.attributes.get_string("auto_pad", "NOTSET") in ("NOTSET", "VALID")
        and _is_weight(each.inputs[1])
        and (input_value(each, 2) is None or constant(each.inputs[2]) is not None)
        for each in readers
    )
    return readers if fits else []


def _fold_back(graph: ir.Graph, product: ir.Node, affine: Affine) -> None:
    weights = constant(product.inputs[1])
    assert weights is not None
    add = Builder(graph, product, f"{product.name or 'MatMul'}/normalized")
    scaled = add.op("MatMul", product.inputs[0], add.const((weights * affine.scale).astype(np.float32)))
    result = add.op("Add", scaled, add.const(affine.shift.astype(np.float32)))
    for value in (scaled, result):
        value.type, value.shape = product.outputs[0].type, product.outputs[0].shape
    replace_all_uses(product.outputs[0], result)
    graph.remove(product, safe=True)


def _fold_forward(graph: ir.Graph, conv: ir.Node, affine: Affine) -> None:
    weights, bias = constant(conv.inputs[1]), constant(input_value(conv, 2))  # [O, C / groups, ..]
    assert weights is not None
    groups = conv.attributes.get_int("group", 1)
    count, width = weights.shape[:2]
    # [groups, C / groups] -> [O, C / groups, 1, ..]: each output sees the channels of its group
    scale, shift = (
        np.repeat(each.reshape(groups, width), count // groups, 0).reshape(count, width, *[1] * (weights.ndim - 2))
        for each in (affine.scale, affine.shift)
    )
    moved = (weights * shift).reshape(count, -1).sum(1) + (0 if bias is None else bias)
    add = Builder(graph, conv, f"{conv.name or 'Conv'}/normalized")
    conv.replace_input_with(1, add.const((weights * scale).astype(np.float32)))
    conv.resize_inputs(3)
    conv.replace_input_with(2, add.const(moved.astype(np.float32)))


def _width(value: ir.Value | None) -> int | None:
    """Return the size of the last axis, which may be known if others are not."""
    last = None if value is None or not value.shape else value.shape[-1]
    return last if isinstance(last, int) else None


def _is_weight(value: ir.Value | None, rank: int | None = None) -> bool:
    array = constant(value)
    return value is not None and array is not None and len(value.uses()) == 1 and rank in (None, array.ndim)
