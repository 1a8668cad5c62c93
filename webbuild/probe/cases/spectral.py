"""Transforms of signals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.draw import Draw
from webbuild.probe.node import Probe, fixed, node, single

_TWIDDLES: dict[str, Any] = {"slack": 20}
"""The kernel multiplies each number by a sine and a cosine, in which WGSL grants an error of 2^-11 (4.9e-4, between
-pi and pi). What was measured is off by 9e-5 of the output's largest at most; 20 times the tolerance is 2e-4 of it.
"""


def cases(draw: Draw) -> Iterator[Probe]:
    """Yield the probes."""
    for length in (4, 7, 8, 12):
        real, both = draw.floats(1, length, 1), draw.floats(1, length, 2)
        for opset in (17, 20):
            axis = (None, single(1, np.int64)) if opset == 20 else ()
            form: dict[str, Any] = {} if opset == 20 else {"axis": 1}
            yield node(f"spectral/DFT {length} opset {opset}", "DFT", real, *axis, opset=opset, **form)
            form |= _TWIDDLES
            yield node(f"spectral/DFT {length} opset {opset} complex", "DFT", both, *axis, opset=opset, **form)
            yield node(
                f"spectral/DFT {length} opset {opset} inverse", "DFT", both, *axis, opset=opset, inverse=1, **form
            )
            yield node(
                f"spectral/DFT {length} opset {opset} onesided", "DFT", real, *axis, opset=opset, onesided=1, **form
            )
    grid = draw.floats(1, 4, 6, 1)
    for where in (1, 2):
        yield node(f"spectral/DFT axis {where} of rank 4", "DFT", grid, None, single(where, np.int64), opset=20)
    yield node(
        "spectral/DFT length given", "DFT", draw.floats(1, 8, 1), single(6, np.int64), single(1, np.int64), opset=20
    )
    signal = draw.floats(1, 32, 1), single(8, np.int64), fixed(draw.positive(16))
    yield node("spectral/STFT", "STFT", *signal, onesided=1)
    for op in ("BlackmanWindow", "HammingWindow", "HannWindow"):
        yield node(f"spectral/{op}", op, np.array(16))
    mel = np.array(8), single(32, np.int64), single(16000, np.int64), single(0), single(8000)
    yield node("spectral/MelWeightMatrix", "MelWeightMatrix", *mel)
