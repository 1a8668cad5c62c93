"""In which precision a graph computes, and why it was not made another."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx_ir as ir

_FULL = (
    "float32, as exported. Half precision is never chosen for you: it holds three digits and nothing above 65,504, "
    "which sums over volumes and a softmax over distances do not forgive; it needs an adapter with shader-f16; and "
    "nothing was measured here that it makes better. `webbuild inspect` says what it would save and what stands "
    "in its way."
)
_HALF = (
    "{count} of {all} weights are float16, as exported. None was made smaller here, and none larger: an adapter "
    "without shader-f16 cannot run them."
)


def precision(model: ir.Model) -> str:
    """Return in a sentence or two which floating-point numbers a graph's weights are, and why."""
    kinds = Counter(value.dtype.name for value in model.graph.initializers.values() if value.dtype is not None)
    floats = {name: count for name, count in kinds.items() if "FLOAT" in name or name == "DOUBLE"}
    half = floats.get("FLOAT16", 0) + floats.get("BFLOAT16", 0)
    return _HALF.format(count=half, all=sum(floats.values())) if half else _FULL
