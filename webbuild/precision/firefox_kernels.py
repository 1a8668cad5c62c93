"""Float16 kernels of the engine that do not compile in Firefox: there "ShaderModule is invalid" ends the run.

Measured in Firefox 153 with onnxruntime-web 1.30.0 on lavapipe; Chromium compiles all of them. A Clip right after a
Conv is a part of that Conv's kernel, which compiles.
"""

from __future__ import annotations

from collections.abc import Collection

import onnx_ir as ir

REASON = "its float16 kernel does not compile in Firefox"
_REFUSED = frozenset({"Clip", "Pad", "ThresholdedRelu"})


def find_refused_by_firefox(chosen: Collection[ir.Node]) -> dict[str, str]:
    """Return by name which of the nodes that would be float16 have no kernel in Firefox."""
    return {node.name or "": REASON for node in chosen if _is_refused(node, chosen)}


def _is_refused(node: ir.Node, chosen: Collection[ir.Node]) -> bool:
    if node.op_type == "Resize":
        return node.attributes.get_string("mode", "nearest") == "cubic"
    return node.op_type in _REFUSED and not _is_fused(node, chosen)


def _is_fused(node: ir.Node, chosen: Collection[ir.Node]) -> bool:
    """Whether a node is a Clip that the engine computes together with a Conv."""
    value = node.inputs[0]
    maker = None if value is None else value.producer()
    if node.op_type != "Clip" or value is None or maker is None or maker.op_type != "Conv" or maker not in chosen:
        return False
    return len(value.uses()) == 1 and not value.is_graph_output()
