"""Dimensions named by an expression of other dimensions, such as `past_length + 1`."""

from __future__ import annotations

from collections.abc import Mapping


def evaluate_dim(dim: str, sizes: Mapping[str, int]) -> int | None:
    """Return the size of a dimension such as `past_length + 1`; None if it is not an expression of known sizes."""
    import onnx_ir as ir

    try:
        size = ir.SymbolicDim(dim).evaluate(sizes)
    except (ValueError, ZeroDivisionError):
        return None
    return size if isinstance(size, int) else None
