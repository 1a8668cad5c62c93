from __future__ import annotations

from typing import Any

import onnx_ir as ir
from numpy.typing import NDArray

from webbuild.model.nchwc_block_size import nchwc_block_size
from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.builder import Builder
from webbuild.passes.fused_activation import add_activation
from webbuild.passes.rewrite import attribute_values, constant, replace_all_uses, static_shape

_DOMAIN = "com.microsoft.nchwc"
_POOLS = ("MaxPool", "AveragePool", "GlobalMaxPool", "GlobalAveragePool")
_LAYOUT_ATTRIBUTES = ("activation", "activation_params")


class NchwcToNchw(Pass):
    """Converts ONNX Runtime's blocked NCHWc layout back to NCHW, in graphs saved after its optimizations.

        ReorderInput(x [N, C, H, W])                        ->  x
        nchwc.Conv<activation = Relu>(x, w in blocks, b)    ->  Relu(Conv(x, w, b))
        ReorderOutput<channels = C>(x)                      ->  x[:, :C]

    Why: at its highest optimization level ONNX Runtime stores channels in blocks of 8 or 16, depending on the CPU of
    that machine, and reorders the weights to match. No web build has these operators.

    How: every NCHWc operator becomes the standard one, and its weights get their original order. Channels that pad the
    last block have zero weights, and ReorderOutput removes them. ReorderInput adds them for a depthwise Conv.

    Limits: the model does not contain the block size. The pass uses the block size of this machine, as native ONNX
    Runtime does. Exact except for the order of summation.
    """

    code = "nchwc-to-nchw"
    after = ("canonicalize",)
    tolerance = 1e-5

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        """Rewrite every NCHWc operator."""
        nodes = [node for node in model.graph if node.domain == _DOMAIN]
        if not nodes:
            return []
        block, opset = nchwc_block_size(), model.graph.opset_imports[""]
        for node in nodes:
            add = Builder(model.graph, node, f"{node.name or node.op_type}/nchw", opset)
            if node.op_type in ("Conv", "ReorderInput") and static_shape(node.inputs[0]) is None:
                infer_shapes(model)  # the nodes before it are standard by now
            if (result := _standard(add, node, block, opset)) is None:
                return [self.skipped(node, f"{node.op_type} of the NCHWc layout is not supported")]
            result.type = node.outputs[0].type
            replace_all_uses(node.outputs[0], result)
        for node in reversed(nodes):
            model.graph.remove(node, safe=True)
        return [self.applied("graph", f"{len(nodes)} operators are converted to NCHW")]


def _standard(add: Builder, node: ir.Node, block: int, opset: int) -> ir.Value | None:
    """Add the standard operators that are equal to an NCHWc node and return their output; None if it is unknown."""
    values = attribute_values(node)
    x = node.inputs[0]
    match node.op_type:
        case "ReorderInput":
            plain = add.op("Transpose" if values.get("channels_last") else "Identity", x, **_to_channels_first(values))
            missing = _missing_channels(node, block)
            return add.pad(plain, [0] * 4, [0, missing, 0, 0]) if missing else plain
        case "ReorderOutput":
            cut = add.slice(x, 1, 0, values["channels"])
            return add.op("Transpose", cut, perm=[0, 2, 3, 1]) if values.get("channels_last") else cut
        case "Conv":
            return _convolution(add, node, block)
        case op if op in _POOLS:
            return add.op(op, x, **{name: value for name, value in values.items() if name not in _LAYOUT_ATTRIBUTES})
        case "Upsample" if opset >= 11:
            scales = add.const([float(scale) for scale in values["scales"]])
            rest = {name: value for name, value in values.items() if name != "scales"}
            region = None if opset >= 13 else add.const([])
            return add.op("Resize", x, region, scales, **rest, **_rounding(rest))
    return None


def _missing_channels(node: ir.Node, block: int) -> int:
    """Return how many channels a ReorderInput adds to fill its last block; 0 if only plain Convs read the result.

    The weights of a plain Conv are cut instead. A depthwise Conv, or a sum with another tensor, needs the full block.
    """
    shape = static_shape(node.inputs[0])
    uses = list(node.outputs[0].uses())
    is_cut = all(
        use.node.op_type == "Conv" and use.idx == 0 and use.node.attributes.get_int("group", 1) == 1 for use in uses
    )
    if shape is None or is_cut:
        return 0
    return -shape[-1 if node.attributes.get_int("channels_last", 0) else 1] % block


def _to_channels_first(values: dict[str, Any]) -> dict[str, list[int]]:
    return {"perm": [0, 3, 1, 2]} if values.get("channels_last") else {}


def _rounding(values: dict[str, Any]) -> dict[str, str]:
    return {"nearest_mode": "floor"} if values.get("mode", "nearest") == "nearest" else {}


def _convolution(add: Builder, node: ir.Node, block: int) -> ir.Value | None:
    """Conv(x, w, b, sum)<activation> -> activation(Conv(x, w, b) + sum)."""
    values, x = attribute_values(node), node.inputs[0]
    weights = constant(node.inputs[1])
    if weights is None or x is None:
        return None
    grouped = values.get("group", 1) > 1
    in_blocks = weights.shape[1] > 1 if grouped else weights.shape[1] >= block
    plain = _plain_weights(weights, block, in_blocks=in_blocks)
    shape = static_shape(x)
    if shape is not None and not grouped:
        plain = plain[:, : shape[1]]  # without the channels that pad the last block
    bias = node.inputs[2] if len(node.inputs) > 2 else None
    rest = {name: value for name, value in values.items() if name not in _LAYOUT_ATTRIBUTES}
    result = add.op("Conv", x, add.const(plain), *([] if bias is None else [bias]), **rest)
    if len(node.inputs) > 3 and node.inputs[3] is not None:
        result = add.op("Add", result, node.inputs[3])
    return add_activation(add, result, values.get("activation", ""), values.get("activation_params", []))


def _plain_weights(weights: NDArray[Any], block: int, *, in_blocks: bool) -> NDArray[Any]:
    """Return weights [O, I, H, W] from blocks of output channels, or of input and output channels."""
    outputs, inputs, *kernel = weights.shape
    if in_blocks:  # [O / b, I / b, H, W, b of I, b of O]
        parts = weights.reshape(outputs // block, inputs // block, *kernel, block, block)
        return parts.transpose(0, 5, 1, 4, 2, 3).reshape(weights.shape)
    parts = weights.reshape(outputs // block, inputs, *kernel, block)
    return parts.transpose(0, 4, 1, 2, 3).reshape(weights.shape)
