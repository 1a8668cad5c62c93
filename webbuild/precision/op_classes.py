"""Operator classes: data movement, elementwise, and reductions."""

from __future__ import annotations

DATA_MOVEMENT_OPS = frozenset({
    "Concat", "DepthToSpace", "Expand", "Flatten", "Gather", "GatherElements", "GatherND", "Identity", "Pad",
    "Reshape", "Slice", "SpaceToDepth", "Split", "Squeeze", "Tile", "Transpose", "Unsqueeze",
})  # fmt: skip
"""Operators that only move elements."""

INDEX_ARITHMETIC_OPS = DATA_MOVEMENT_OPS | {
    "Abs", "Add", "Ceil", "Clip", "CumSum", "Div", "Floor", "Max", "Min", "Mod", "Mul", "Neg", "Range", "Round", "Sign",
    "Sub", "Where",
}  # fmt: skip
"""Operators that compute positions."""

MATMUL_OPS = frozenset({"Conv", "ConvTranspose", "Einsum", "Gemm", "MatMul"})
"""Operators that sum products, mostly with weights."""
