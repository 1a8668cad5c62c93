"""Operators of pictures and of signals."""

from __future__ import annotations

import numpy as np

from webbuild.probe.form import Form, always, list_of

_MAP = (1, 4, 8, 8)
_TWICE = np.array([1, 1, 2, 2], np.float32)


def _resize(since: int) -> Form:
    if since == 10:
        return Form((_MAP, _TWICE))
    roi = np.zeros(0, np.float32) if since == 11 else None
    return Form((_MAP, roi, _TWICE), {"mode": "linear"})


def _upsample(since: int) -> Form:
    return Form((_MAP, _TWICE)) if since >= 9 else Form((_MAP,), {"scales": _TWICE.tolist()})


def _dft(since: int) -> Form:
    return Form(((1, 8, 1), None, np.array(1))) if since >= 20 else Form(((1, 8, 1),), {"axis": 1})


def _window(_since: int) -> Form:
    return Form((np.array(16),), types={"T2": "float"})


def _mel(_since: int) -> Form:
    return Form(((), (), (), (), ()), types={"T2": "float", "T3": "float"})


FORMS = {
    "AffineGrid": always((1, 2, 3), list_of(1, 4, 8, 8)),
    "Col2Im": always((1, 16, 9), list_of(4, 4), list_of(2, 2)),
    "DFT": _dft,
    "GridSample": always(_MAP, (1, 5, 5, 2)),
    **dict.fromkeys(("BlackmanWindow", "HammingWindow", "HannWindow"), _window),
    "ImageDecoder": always((8,)),
    "MelWeightMatrix": _mel,
    "MaxRoiPool": always(_MAP, (2, 5), pooled_shape=[2, 2]),
    "Multinomial": lambda _since: Form(((1, 4),), types={"T2": "int32"}),
    "NonMaxSuppression": always((1, 6, 4), (1, 2, 6)),
    "Resize": _resize,
    "RoiAlign": always(_MAP, (2, 4), (2,), output_height=2, output_width=2),
    "STFT": always((1, 32, 1), np.array(8), (16,)),
    "Upsample": _upsample,
}
