"""Cast: each pair of element types with numbers in range of both, and with numbers out of the target's range."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from onnx import helper

from webbuild.probe.probe_model import Array, Probe, make_probe
from webbuild.probe.random_data import RandomData

_KINDS = (np.float32, np.int32, np.int64, np.uint8, np.int8, np.uint32, np.bool_)
_BEYOND: dict[str, tuple[Array, type]] = {
    "float to int32, fractions": (np.array([-2.7, -0.5, 0.5, 2.7], np.float32), np.int32),
    "float to int32, too large": (np.array([3e9, -3e9], np.float32), np.int32),
    "float to int64, large": (np.array([3e9, -3e9, 1e12], np.float32), np.int64),
    "float to uint8, fractions": (np.array([0, 1.5, 254.6], np.float32), np.uint8),
    "float to uint8, outside": (np.array([-1, 300], np.float32), np.uint8),
    "float to uint32, large": (np.array([5, 4e9], np.float32), np.uint32),
    "float to bool, small": (np.array([0, 1, -1, 0.5, 1e-8], np.float32), np.bool_),
    "float to bool, nan": (np.array([np.nan, np.inf], np.float32), np.bool_),
    "int64 to float, large": (np.array([1, -5, 16777217, 2**40], np.int64), np.float32),
    "int64 to int32, large": (np.array([1, -5, 2**31 - 1, 2**40], np.int64), np.int32),
    "int64 to bool, large": (np.array([0, 5, 2**32], np.int64), np.bool_),
    "int32 to uint8, outside": (np.array([5, 256, -1], np.int32), np.uint8),
    "int32 to float, large": (np.array([16777217, -16777217], np.int32), np.float32),
}


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for source in _KINDS:
        for target in _KINDS:
            if source is not target:
                x = draw.ints(7, high=2 if np.bool_ in (source, target) else 100, dtype=source)
                yield _cast(f"{np.dtype(source).name} to {np.dtype(target).name}", x, target)
    for what, (beyond, kind) in _BEYOND.items():
        yield _cast(what, beyond, kind)
    yield make_probe("CastLike", draw.floats(4), np.zeros(1, np.int32), opset=19)


def _cast(what: str, x: Array, target: type) -> Probe:
    return make_probe(what, x, op="Cast", to=helper.np_dtype_to_tensor_dtype(np.dtype(target)))
