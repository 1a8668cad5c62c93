"""Free channel axes of inputs, whose size the weights of a convolution determine."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx_ir as ir


def conv_channels(model: ir.Model) -> dict[str, int]:
    """Return the channels, by "input:1", of each input [n, c, ...] with a free c that a Conv reads."""
    inputs = (each for each in model.graph.inputs if each.shape is not None and len(each.shape) > 2)
    counts = {f"{each.name}:1": _channels(each) for each in inputs if each.shape and not isinstance(each.shape[1], int)}
    return {key: count for key, count in counts.items() if count}


def _channels(value: ir.Value) -> int | None:
    """Return the channels that a Conv takes; its weights are [out, channels / group, ...]."""
    for node, index in value.uses():
        if node.op_type == "Cast":
            return _channels(node.outputs[0])
        weights = node.inputs[1] if node.op_type == "Conv" and index == 0 else None
        if weights is not None and weights.shape is not None and isinstance(size := weights.shape[1], int):
            return size * node.attributes.get_int("group", 1)
    return None
