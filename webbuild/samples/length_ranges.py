"""Ranges of inputs that are lengths of other inputs, such as `audio_lens` of `audio`."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from webbuild.errors import WebbuildError
from webbuild.model.signature import ModelSignature, TensorSpec
from webbuild.passes.analysis.input_ranges import InputRange
from webbuild.runners.native import NativeRunner
from webbuild.samples.random_inputs import random_feeds

_LENGTH = re.compile(r"(?:(?P<of>.+)_)?(?:len|lens|length|lengths)")
"""Names of lengths: `length`, `x_lens`, `speech_lengths`."""
_OPERATOR = "a length"
"""What sets the range of a length."""


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
            ranges[spec.name] = InputRange(max(1, size // 2), size, _OPERATOR)
    return ranges


def with_full_lengths(
    ranges: Mapping[str, InputRange], signature: ModelSignature, dims: Mapping[str, int], native: NativeRunner
) -> Mapping[str, InputRange]:
    """Return the ranges, with each length as long as its axis if the model runs only so.

    A mask that is as long as the longest of the lengths, as in torchaudio, fits only an axis of that length.
    """
    lengths = {name: each for name, each in ranges.items() if each.operator == _OPERATOR}
    half = {**ranges, **{name: _only(each.low) for name, each in lengths.items()}}
    if not lengths or _runs(half, signature, dims, native):
        return ranges
    whole = {**ranges, **{name: _only(each.high) for name, each in lengths.items()}}
    return whole if _runs(whole, signature, dims, native) else ranges


def _only(length: float) -> InputRange:
    return InputRange(length, length, f"{_OPERATOR}: the model fails with shorter ones", (length,))


def _runs(
    ranges: Mapping[str, InputRange], signature: ModelSignature, dims: Mapping[str, int], native: NativeRunner
) -> bool:
    sized = [
        msgspec.structs.replace(
            spec, shape=tuple(dims.get(f"{spec.name}:{axis}", size) for axis, size in enumerate(spec.shape))
        )
        for spec in signature.inputs
    ]
    try:
        feeds = random_feeds(signature.file, sized, ranges)
        native.run({name: array.astype(native.input_dtypes[name]) for name, array in feeds.items()})
    except WebbuildError:
        return False
    finally:
        native.close()
    return True


def _largest(specs: list[TensorSpec], dims: Mapping[str, int], *, free: bool) -> int:
    """Return the size of the largest axis after the batch, 0 if there is none."""
    sizes = (
        dims.get(f"{spec.name}:{axis}", size)
        for spec in specs
        for axis, size in enumerate(spec.shape)
        if axis > 0 and isinstance(size, int) is not free
    )
    return max((size for size in sizes if isinstance(size, int)), default=0)
