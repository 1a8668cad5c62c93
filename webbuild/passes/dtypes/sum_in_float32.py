from __future__ import annotations

import math

import onnx_ir as ir

from webbuild.passes.base import PassOptions
from webbuild.passes.decompose.base import Decomposers, Decomposition
from webbuild.passes.rewrite import static_shape

_OPERATORS = (
    *("ReduceMean", "ReduceSum", "ReduceSumSquare", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp"),
    "GlobalAveragePool",
)
_MANY_TERMS = 256
"""Number of pixels 0..255 that fit into a float16 sum: its maximum is 65,504."""


class SumInFloat32(Decomposition):
    """Computes large float16 reductions in float32.

        ReduceMean(x float16 [1, 64, 112, 112])  ->  Cast(ReduceMean(Cast(x, float32)), float16)

    Why: the GPU kernel accumulates in float16, which overflows at 65,504. A mean over the 12,544 positions of a feature
    map becomes infinite if the mean is above 5.2, and the nodes after it return NaN. Native ONNX Runtime accumulates in
    float32, so the model works there.

    How: reductions of 256 terms and more. Squares of few numbers, and the sums inside Conv and MatMul, are not
    rewritten.
    """

    code = "sum-in-float32"
    tolerance = 1e-2

    def decomposers(self) -> Decomposers:
        return dict.fromkeys(_OPERATORS, lambda add, node: add.in_float32(node))

    def matches(self, model: ir.Model, node: ir.Node, options: PassOptions) -> bool:
        """Whether a node sums many float16 numbers."""
        value = node.inputs[0]
        before, after = static_shape(value), static_shape(node.outputs[0])
        if options.table is None or value is None or value.dtype != ir.DataType.FLOAT16 or not before or after is None:
            return False
        return math.prod(before) >= _MANY_TERMS * max(1, math.prod(after))
