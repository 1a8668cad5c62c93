"""Float16 kernels of the engine that do not compile: "ShaderModule is invalid" ends the run.

Measured with onnxruntime-web 1.30.0 on lavapipe by `webbuild probe --browser firefox`, in Firefox 153 and Chromium 156.
"""

from __future__ import annotations

from collections.abc import Callable

import onnx_ir as ir

from webbuild.passes.workarounds.compute_in_float32 import mixes_types

FIREFOX_OPS = ("Clip", "Pad")
_IN_FIREFOX = "its float16 kernel does not compile in Firefox"
_ANYWHERE = "its float16 kernel does not compile"


def why_not_compiled(node: ir.Node, is_float16: Callable[[ir.Node], bool]) -> str | None:
    """Return why the float16 kernel of a node does not compile in some browser, None if it compiles in all.

    Args:
        node: a float16 node.
        is_float16: whether another node of the graph is float16. A Clip directly after a Conv is fused into the Conv's
            kernel, which compiles.
    """
    if mixes_types(node):
        return _ANYWHERE
    return _IN_FIREFOX if node.op_type in FIREFOX_OPS and not _is_fused(node, is_float16) else None


def _is_fused(node: ir.Node, is_float16: Callable[[ir.Node], bool]) -> bool:
    """Whether a node is a Clip that the engine fuses into a Conv."""
    value = node.inputs[0]
    maker = None if value is None else value.producer()
    if node.op_type != "Clip" or value is None or maker is None or maker.op_type != "Conv" or not is_float16(maker):
        return False
    return len(value.uses()) == 1 and not value.is_graph_output()
