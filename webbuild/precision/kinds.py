"""Kinds of operators: those that move numbers, those that work number by number, those that sum."""

from __future__ import annotations

MOVING = frozenset({
    "Concat", "DepthToSpace", "Expand", "Flatten", "Gather", "GatherElements", "GatherND", "Identity", "Pad",
    "Reshape", "Slice", "SpaceToDepth", "Split", "Squeeze", "Tile", "Transpose", "Unsqueeze",
})  # fmt: skip
"""They compute nothing."""

COUNTING = MOVING | {
    "Abs", "Add", "Ceil", "Clip", "CumSum", "Div", "Floor", "Max", "Min", "Mod", "Mul", "Neg", "Range", "Round", "Sign",
    "Sub", "Where",
}  # fmt: skip
"""What positions are computed with."""

SUMMING = frozenset({
    "Conv", "ConvTranspose", "Einsum", "Gemm", "MatMul", "AveragePool", "GlobalAveragePool", "ReduceMean", "ReduceSum",
    "ReduceSumSquare", "ReduceL1", "ReduceL2", "ReduceLogSumExp", "InstanceNormalization", "GroupNormalization",
    "LayerNormalization", "LpNormalization", "CumSum",
})  # fmt: skip
"""They add up many numbers."""

CONTRACTING = frozenset({"Conv", "ConvTranspose", "Einsum", "Gemm", "MatMul"})
"""They sum products, mostly with weights."""
