"""Operators of pictures and of signals."""

from __future__ import annotations

import numpy as np

from webbuild.probe.op_template import OpTemplate, fixed_template, int64_list

_MAP = (1, 4, 8, 8)
_TWICE = np.array([1, 1, 2, 2], np.float32)


def _resize(since: int) -> OpTemplate:
    if since == 10:
        return OpTemplate((_MAP, _TWICE))
    roi = np.zeros(0, np.float32) if since == 11 else None
    return OpTemplate((_MAP, roi, _TWICE), {"mode": "linear"})


def _upsample(since: int) -> OpTemplate:
    return OpTemplate((_MAP, _TWICE)) if since >= 9 else OpTemplate((_MAP,), {"scales": _TWICE.tolist()})


def _dft(since: int) -> OpTemplate:
    return OpTemplate(((1, 8, 1), None, np.array(1))) if since >= 20 else OpTemplate(((1, 8, 1),), {"axis": 1})


def _window(_since: int) -> OpTemplate:
    return OpTemplate((np.array(16),), types={"T2": "float"})


def _mel(_since: int) -> OpTemplate:
    return OpTemplate(((), (), (), (), ()), types={"T2": "float", "T3": "float"})


TEMPLATES = {
    "AffineGrid": fixed_template((1, 2, 3), int64_list(1, 4, 8, 8)),
    "Col2Im": fixed_template((1, 16, 9), int64_list(4, 4), int64_list(2, 2)),
    "DFT": _dft,
    "GridSample": fixed_template(_MAP, (1, 5, 5, 2)),
    **dict.fromkeys(("BlackmanWindow", "HammingWindow", "HannWindow"), _window),
    "ImageDecoder": fixed_template((8,)),
    "MelWeightMatrix": _mel,
    "MaxRoiPool": fixed_template(_MAP, (2, 5), pooled_shape=[2, 2]),
    "Multinomial": lambda _since: OpTemplate(((1, 4),), types={"T2": "int32"}),
    "NonMaxSuppression": fixed_template((1, 6, 4), (1, 2, 6)),
    "Resize": _resize,
    "RoiAlign": fixed_template(_MAP, (2, 4), (2,), output_height=2, output_width=2),
    "STFT": fixed_template((1, 32, 1), np.array(8), (16,)),
    "Upsample": _upsample,
}
