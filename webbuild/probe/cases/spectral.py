"""Signal transforms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Initializer, Probe, make_probe, scalar
from webbuild.probe.random_data import RandomData

_TWIDDLES: dict[str, Any] = {"slack": 20}
"""The kernel multiplies each number by a sine and a cosine, for which WGSL allows an error of 2^-11 (4.9e-4, between
-pi and pi). The measured error is at most 9e-5 of the output's largest magnitude; 20 times the tolerance is 2e-4.
"""


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for length in (4, 7, 8, 12):
        real, both = draw.floats(1, length, 1), draw.floats(1, length, 2)
        for opset in (17, 20):
            axis = (None, scalar(1, np.int64)) if opset == 20 else ()
            form: dict[str, Any] = {} if opset == 20 else {"axis": 1}
            yield make_probe(f"DFT {length} opset {opset}", real, *axis, opset=opset, **form)
            form |= _TWIDDLES
            yield make_probe(f"DFT {length} opset {opset} complex", both, *axis, opset=opset, **form)
            yield make_probe(f"DFT {length} opset {opset} inverse", both, *axis, opset=opset, inverse=1, **form)
            yield make_probe(f"DFT {length} opset {opset} onesided", real, *axis, opset=opset, onesided=1, **form)
    grid = draw.floats(1, 4, 6, 1)
    for where in (1, 2):
        yield make_probe(f"DFT axis {where} of rank 4", grid, None, scalar(where, np.int64), opset=20)
    yield make_probe("DFT length given", draw.floats(1, 8, 1), scalar(6, np.int64), scalar(1, np.int64), opset=20)
    yield make_probe("STFT", draw.floats(1, 32, 1), scalar(8, np.int64), Initializer(draw.positive(16)), onesided=1)
    for op in ("BlackmanWindow", "HammingWindow", "HannWindow"):
        yield make_probe(op, np.array(16))
    mel = (np.array(8), scalar(32, np.int64), scalar(16000, np.int64), scalar(0), scalar(8000))
    yield make_probe("MelWeightMatrix", *mel)
