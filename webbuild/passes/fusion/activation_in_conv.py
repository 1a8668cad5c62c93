from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir
from msgspec import Struct

from webbuild.passes.analysis.activations import activation_after, activation_name
from webbuild.passes.analysis.channels_last import TO_CHANNELS_FIRST, TO_CHANNELS_LAST
from webbuild.passes.analysis.reshapes import RESHAPES, after_reshapes
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.fusion.remove_unused import remove_unused
from webbuild.passes.rewrite import constant, consumers, find_nodes, input_value, replace_output, static_shape
from webbuild.passes.workarounds.block_double_activation_fusion import FUSABLE_ACTIVATIONS

_FLOATS = (ir.DataType.FLOAT, ir.DataType.FLOAT16)
_BETWEEN = RESHAPES | {"Transpose"}


class ActivationInConv(Pass):
    """`Relu(Gemm(x [R, K], w [N, K], b))` -> `Relu(Conv(x [1, K, 1, R], w [N, K, 1, 1], b))`.

        Relu(Gemm<transB = 1>(x [R, K], w [N, K], b))
            ->  Transpose(Relu(Conv(Transpose(x) [1, K, 1, R], w [N, K, 1, 1], b)))

    Why: the engine fuses Relu, Gelu, SiLU and others into a Conv, but not into a Gemm. It runs a 1 x 1 Conv channels
    last, as a matrix product, so all Transposes cancel: one shader for the layer and its activation instead of two.

    Limits: fixed shapes, constant weights, more than one row. No second activation may follow, because the engine would
    fuse it in place of the first.

    Exact except for the order of a sum: accurate to 1e-5.
    """

    code = "activation-in-conv"
    target = "webgpu"
    after = ("linear-before-activation", "fuse-gelu", "fold-data-movement", "channels-last-tokens")
    tolerance = 1e-5

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, "Gemm"):
            layer = _layer(node)
            if layer is None:
                continue
            _write(model.graph, layer)
            fused = activation_name(layer.activation)
            rewrites.append(self.applied(node, f"is rewritten as a Conv, with which the engine fuses {fused}"))
        return rewrites


class Layer(Struct, frozen=True):
    """A linear layer, the input of its activation, and the nodes of the activation."""

    gemm: ir.Node
    value: ir.Value
    activation: Sequence[ir.Node]


def _layer(node: ir.Node) -> Layer | None:
    x, weight, bias = node.inputs[0], node.inputs[1], input_value(node, 2)
    weights, rows, stored = constant(weight), static_shape(x), constant(bias)
    plain = all(node.attributes.get_float(name, 1.0) == 1 for name in ("alpha", "beta"))
    if weight is None or weights is None or not rows or rows[0] < 2 or weight.dtype not in _FLOATS or not plain:
        return None
    if node.attributes.get_int("transA", 0) or not node.attributes.get_int("transB", 0):
        return None
    if not weights.size or (bias is not None and (stored is None or stored.shape != weights.shape[:1])):
        return None
    value = after_reshapes(node.outputs[0])
    activation = activation_after(value)
    if not activation or static_shape(value) is None or _meets_another(activation[-1]):
        return None
    return Layer(node, value, activation)


def _meets_another(node: ir.Node) -> bool:
    """Whether another activation reads a node's outputs, directly or after Reshapes and Transposes."""
    return any(
        reader.op_type in FUSABLE_ACTIVATIONS or (reader.op_type in _BETWEEN and _meets_another(reader))
        for output in node.outputs
        for reader in consumers(output)
    )


def _write(graph: ir.Graph, layer: Layer) -> None:
    gemm, end = layer.gemm, layer.activation[-1]
    weights, (rows, width) = constant(gemm.inputs[1]), static_shape(gemm.inputs[0]) or [0, 0]
    assert weights is not None
    count = len(weights)
    add = Builder(graph, end, f"{gemm.name or 'Gemm'}/conv")
    x = add.op("Transpose", add.reshape(gemm.inputs[0], [1, 1, rows, width]), perm=list(TO_CHANNELS_FIRST))
    kernel = add.const(weights.reshape(count, width, 1, 1), weights.dtype)
    result = add.op("Conv", x, kernel, *gemm.inputs[2:3])  # [1, N, 1, R]
    known = {layer.value: result}
    for node in layer.activation:
        copy = ir.node(
            node.op_type,
            [value if value is None else known.get(value, value) for value in node.inputs],
            attributes=node.attributes,
            domain=node.domain,
            name=f"{node.outputs[0].name}/conv",
        )
        copy.outputs[0].name = copy.name
        copy.outputs[0].type, copy.outputs[0].shape = node.outputs[0].type, ir.Shape([1, count, 1, rows])
        graph.insert_before(end, copy)
        known[node.outputs[0]] = copy.outputs[0]
    moved = add.op("Transpose", known[end.outputs[0]], perm=list(TO_CHANNELS_LAST))
    replace_output(end, add.reshape(moved, static_shape(end.outputs[0]) or []))
    remove_unused(graph, end)
