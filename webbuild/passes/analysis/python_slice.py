"""The part of an axis that a Slice keeps."""

from __future__ import annotations


def python_slice(size: int, start: int, end: int, step: int = 1) -> slice:
    """Return Python's slice for a Slice of an axis of this size.

    With a negative step, a start before the axis is its first element in ONNX; Python keeps nothing then:

        Slice([a, b, c], -9:-9:-1)  ->  [a]
    """
    return slice(max(start, -size) if step < 0 else start, end, step)
