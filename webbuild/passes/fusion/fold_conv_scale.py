from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.channel_affine import Affine, Numbers, batch_norm_affine
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, find_nodes, input_value, known_rank, only_reader, replace_all_uses


class FoldConvScale(Pass):
    """`Add(Mul(Conv(x, w, b), s), t)` -> `Conv(x, s w, s b + t)`, and `BatchNormalization(Conv(x, w, b))` alike.

        Add(Mul(Conv(x, w, b), s [1, O, 1, 1]), t [1, O, 1, 1])    ->  Conv(x, s w, s b + t)
        BatchNormalization(Conv(x, w, b))                          ->  Conv(x, s w, s b + t)

    Why: the engine folds them too, each time it loads the graph. For that it reads the weights into WebAssembly memory,
    which never shrinks; otherwise they go to the GPU one by one.

    Limits: float32, constant weights that nothing else reads, and constants of one number or of one per channel.

    Exact except for the order of products: accurate to 1e-5.
    """

    code = "fold-conv-scale"
    after = ("canonicalize", "fold-constants", "fold-batch-norm", "fuse-gelu", "fuse-hard-swish")
    tolerance = 1e-5

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for conv in find_nodes(model, "Conv"):
            while (found := _affine_after(conv)) is not None:
                node, affine = found
                if not _fold(model.graph, conv, affine):
                    break
                replace_all_uses(node.outputs[0], conv.outputs[0])
                model.graph.remove(node, safe=True)
                rewrites.append(self.applied(node, f"is folded into Conv '{conv.name}'"))
        return rewrites


def _affine_after(conv: ir.Node) -> tuple[ir.Node, Affine] | None:
    """Return the only reader of a convolution and its affine map, if it applies one scale and shift per channel."""
    result = conv.outputs[0]
    node = only_reader(result, "Add", "Mul", "BatchNormalization")
    weights = constant(conv.inputs[1])  # [O, C / groups, ..]
    if node is None or weights is None or result.dtype != ir.DataType.FLOAT:
        return None
    if node.op_type == "BatchNormalization":
        affine = batch_norm_affine(node) if node.inputs[0] is result else None
        return None if affine is None else (node, affine)
    (other,) = (value for value in node.inputs if value is not result)
    numbers = _per_channel(other, known_rank(result), len(weights))
    if numbers is None:
        return None
    ones, zeros = np.ones(len(weights)), np.zeros(len(weights))
    return node, Affine(numbers, zeros) if node.op_type == "Mul" else Affine(ones, numbers)


def _per_channel(value: ir.Value | None, rank: int | None, channels: int) -> Numbers | None:
    """Return one number per channel of a value [N, channels, ..]; None if the constant varies along other axes."""
    array = constant(value)
    if array is None or rank is None or array.ndim > rank:
        return None
    shape = (1,) * (rank - array.ndim) + array.shape
    if shape[0] != 1 or shape[1] not in (1, channels) or any(size != 1 for size in shape[2:]):
        return None
    return np.broadcast_to(array.reshape(-1), channels).astype(np.float64)


def _fold(graph: ir.Graph, conv: ir.Node, affine: Affine) -> bool:
    """Scale the weights and the bias of a convolution; return False if they may not be changed."""
    weight, old_bias = conv.inputs[1], input_value(conv, 2)
    weights, bias = constant(weight), constant(old_bias)
    if weight is None or weights is None or len(weight.uses()) != 1 or (old_bias is not None and bias is None):
        return False
    scaled = (weights * affine.scale.reshape(-1, *[1] * (weights.ndim - 1))).astype(np.float32)
    moved = (affine.shift + (0 if bias is None else affine.scale * bias)).astype(np.float32)
    if not (np.isfinite(scaled).all() and np.isfinite(moved).all()):
        return False
    add = Builder(graph, conv, f"{conv.name or 'Conv'}/scaled")
    if not np.array_equal(affine.scale, np.ones_like(affine.scale)):
        conv.replace_input_with(1, add.const(scaled))
    if bias is not None or moved.any():
        conv.resize_inputs(3)
        conv.replace_input_with(2, add.const(moved))
    return True
