"""Models of opsets before the engine's first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webbuild.nodes import every_node
from webbuild.operators import OLDEST_OPSET

if TYPE_CHECKING:
    import onnx


def lift(proto: onnx.ModelProto) -> bool:
    """Write a model in the engine's first opset where every operator of it means the same in both.

    Returns:
        Whether it was: a model of a later opset, or with an operator that has changed since, stays as it is.
    """
    entries = [entry for entry in proto.opset_import if entry.domain in ("", "ai.onnx")]
    if len(entries) != 1 or not 1 <= entries[0].version < OLDEST_OPSET or proto.functions:
        return False
    used = {node.op_type for node in every_node(proto) if node.domain in ("", "ai.onnx")}
    if any(_since(name, entries[0].version) != _since(name, OLDEST_OPSET) for name in used):
        return False
    entries[0].version = OLDEST_OPSET
    return True


def _since(name: str, opset: int) -> int:
    """Return the opset that brought this version of an operator, 0 where there is none."""
    import onnx

    try:
        return int(onnx.defs.get_schema(name, opset, "").since_version)
    except onnx.defs.SchemaError:
        return 0
