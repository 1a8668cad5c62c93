"""Which pass writes an operator without a kernel in others."""

from __future__ import annotations

from functools import cache

from webbuild.passes._base import all_passes
from webbuild.passes._decompose import Decomposition

_QUANTISED = (
    "ConvInteger", "DynamicQuantizeLinear", "MatMulInteger", "QLinearConv", "QLinearMatMul", "QuantizeLinear",
)  # fmt: skip


@cache
def mends() -> dict[str, str]:
    """Return the codes of passes by the operators that they take the place of."""
    decompositions = [kind for kind in all_passes() if issubclass(kind, Decomposition)]
    found = {operator: kind.code for kind in decompositions for operator in kind().forms()}
    return found | dict.fromkeys(_QUANTISED, "quantised-in-float")
