"""Upgrade of models with opsets older than the engine supports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webbuild.model.operator_support import OLDEST_OPSET
from webbuild.model.traversal import iter_nodes

if TYPE_CHECKING:
    import onnx


def upgrade_opset(proto: onnx.ModelProto) -> bool:
    """Set the opset to the oldest that the engine supports, if every operator means the same in both opsets.

    Returns:
        Whether it was upgraded: a newer model, or one with an operator that has changed since, is left unchanged.
    """
    entries = [entry for entry in proto.opset_import if entry.domain in ("", "ai.onnx")]
    if len(entries) != 1 or not 1 <= entries[0].version < OLDEST_OPSET or proto.functions:
        return False
    used = {node.op_type for node in iter_nodes(proto) if node.domain in ("", "ai.onnx")}
    if any(_since_version(name, entries[0].version) != _since_version(name, OLDEST_OPSET) for name in used):
        return False
    entries[0].version = OLDEST_OPSET
    return True


def _since_version(name: str, opset: int) -> int:
    """Return the opset that introduced this version of an operator; 0 if there is none."""
    import onnx

    try:
        return int(onnx.defs.get_schema(name, opset, "").since_version)
    except onnx.defs.SchemaError:
        return 0
