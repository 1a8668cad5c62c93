"""Float16 kernels of the engine that do not compile in Firefox: there "ShaderModule is invalid" ends the run.

Measured in Firefox 153 with onnxruntime-web 1.30.0 on lavapipe; Chromium compiles all of them. A Clip right after a
Conv is a part of that Conv's kernel, which compiles.
"""

from __future__ import annotations

from collections.abc import Callable

import onnx_ir as ir

REASON = "its float16 kernel does not compile in Firefox"
FIREFOX_OPS = ("Clip", "Pad", "ThresholdedRelu", "Resize")


def compiles_in_firefox(node: ir.Node, is_float16: Callable[[ir.Node], bool]) -> bool:
    """Whether the float16 kernel of a node compiles in Firefox.

    Args:
        node: of float16.
        is_float16: whether another node of its graph is.
    """
    if node.op_type == "Resize":
        return node.attributes.get_string("mode", "nearest") != "cubic"
    return node.op_type not in FIREFOX_OPS or _is_fused(node, is_float16)


def _is_fused(node: ir.Node, is_float16: Callable[[ir.Node], bool]) -> bool:
    """Whether a node is a Clip that the engine computes together with a Conv."""
    value = node.inputs[0]
    maker = None if value is None else value.producer()
    if node.op_type != "Clip" or value is None or maker is None or maker.op_type != "Conv" or not is_float16(maker):
        return False
    return len(value.uses()) == 1 and not value.is_graph_output()
