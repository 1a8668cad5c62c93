from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes.base import PassOptions
from webbuild.passes.decompose.base import Decomposers, Decomposition, NotApplicableError, RewriteContext
from webbuild.passes.rewrite import constant

_EXACT = 1 << 24
_INT64_TYPES = (ir.DataType.INT64, ir.DataType.UINT64)


class PowFloatExponent(Decomposition):
    """Changes a 64-bit exponent of a float32 Pow to float32.

        Pow(x float32, 2 int64)  ->  Pow(x float32, 2 float32)

    Why: the GPU kernel does not support 64-bit integer exponents, and PyTorch exports x ** 2 with one.

    How: a constant exponent is stored as float32, in which integers up to 16,777,216 are exact. A Pow with a computed
    int64 exponent stays on the CPU. Exact.
    """

    code = "pow-float-exponent"

    def decomposers(self) -> Decomposers:
        return {"Pow": _pow}

    def matches(self, model: ir.Model, node: ir.Node, options: PassOptions) -> bool:
        """Whether a Pow has a 64-bit integer exponent and a float32 base."""
        x, exponent = node.inputs
        wide = exponent is not None and exponent.dtype in _INT64_TYPES
        return options.table is not None and wide and x is not None and x.dtype == ir.DataType.FLOAT


def _pow(add: RewriteContext, node: ir.Node) -> ir.Value:
    stored = constant(node.inputs[1])
    if stored is None or np.abs(stored.astype(np.float64)).max(initial=0) > _EXACT:
        raise NotApplicableError("its exponent is computed, or too large")
    return add.op("Pow", node.inputs[0], add.const(stored, np.float32))
