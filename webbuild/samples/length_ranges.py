"""Ranges of inputs that are lengths of other inputs, such as `audio_lens` of `audio`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.passes.analysis.input_ranges import InputRange

_LENGTH = re.compile(r"(?:(?P<of>.+)_)?(?:len|lens|length|lengths)")
"""Names of lengths: `length`, `x_lens`, `speech_lengths`."""


def length_ranges(signature: ModelSignature, dims: Mapping[str, int]) -> dict[str, InputRange]:
    """Return a range for each integer scalar or vector that is named as a length: from half an axis to all of it.

    A mask of 0 or 1 elements would make all outputs zero, and equal zeros prove nothing.

    The axis is the largest free one after the batch, of the input `x` for `x_lens`, else of all inputs; without a free
    one the largest.
    """
    ranges: dict[str, InputRange] = {}
    for spec in signature.inputs:
        match = _LENGTH.fullmatch(spec.name.lower())
        if match is None or spec.dtype not in ("int32", "int64") or len(spec.shape) > 1:
            continue
        others = [other for other in signature.inputs if len(other.shape) > 1]
        measured = [other for other in others if other.name.lower() == match["of"]] or others
        if size := _largest(measured, dims, free=True) or _largest(measured, dims, free=False):
            ranges[spec.name] = InputRange(max(1, size // 2), size, "a length")
    return ranges


def _largest(specs: list[TensorSpec], dims: Mapping[str, int], *, free: bool) -> int:
    """Return the size of the largest axis after the batch, 0 if there is none."""
    sizes = (
        dims.get(f"{spec.name}:{axis}", size)
        for spec in specs
        for axis, size in enumerate(spec.shape)
        if axis > 0 and isinstance(size, int) is not free
    )
    return max((size for size in sizes if isinstance(size, int)), default=0)
