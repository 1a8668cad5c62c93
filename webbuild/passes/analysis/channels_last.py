"""Values that ONNX Runtime stores as NHWC on WebGPU, whatever layout the graph has."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.rewrite import consumers

TO_CHANNELS_LAST = (0, 2, 3, 1)
"""[N, C, H, W] -> [N, H, W, C]: after a Conv, the Transpose that ONNX Runtime adds there cancels it."""

TO_CHANNELS_FIRST = (0, 3, 1, 2)
"""[N, H, W, C] -> [N, C, H, W]: before a Conv, it cancels the Transpose that ONNX Runtime adds there."""


def is_channels_last(value: ir.Value) -> bool:
    """Whether a value [N, C, H, W] is the output of a Conv, or a Concat of such outputs along the channels."""
    node = value.producer()
    if node is not None and node.op_type == "Concat" and node.attributes.get_int("axis", 0) in (1, -3):
        return all(each is not None and len(consumers(each)) == 1 and is_channels_last(each) for each in node.inputs)
    return node is not None and node.op_type == "Conv"


def is_free_transpose(node: ir.Node) -> bool:
    """Whether a node is a Transpose that cancels the one that ONNX Runtime adds."""
    source = node.inputs[0] if node.op_type == "Transpose" else None
    if source is None or tuple(node.attributes.get_ints("perm", [])) != TO_CHANNELS_LAST:
        return False
    return is_channels_last(source)
