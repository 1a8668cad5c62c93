"""The pass that decomposes an operator without a kernel."""

from __future__ import annotations

from functools import cache

from webbuild.passes.decompose.base import Decomposition
from webbuild.passes.registry import all_passes

_QUANTIZED_OPS = (
    "ConvInteger", "DynamicQuantizeLinear", "MatMulInteger", "QLinearConv", "QLinearMatMul", "QuantizeLinear",
)  # fmt: skip


@cache
def fixes_by_operator() -> dict[str, str]:
    """Return the pass that decomposes each operator: operator -> code."""
    decompositions = [kind for kind in all_passes() if issubclass(kind, Decomposition)]
    codes = {operator: kind.code for kind in decompositions for operator in kind().decomposers()}
    return codes | dict.fromkeys(_QUANTIZED_OPS, "dequantize-ops")
