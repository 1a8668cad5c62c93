"""Image and signal operators."""

from __future__ import annotations

import numpy as np

from webbuild.probe.op_template import OpTemplate, fixed_template, int64_list, versioned_template

_MAP = (1, 4, 8, 8)
_TWICE = np.array([1, 1, 2, 2], np.float32)
_WINDOW = versioned_template({1: OpTemplate((np.array(16),), types={"T2": "float"})})


TEMPLATES = {
    "AffineGrid": fixed_template((1, 2, 3), int64_list(1, 4, 8, 8)),
    "Col2Im": fixed_template((1, 16, 9), int64_list(4, 4), int64_list(2, 2)),
    "DFT": versioned_template(
        {
            17: OpTemplate(((1, 8, 1),), {"axis": 1}),
            20: OpTemplate(((1, 8, 1), None, np.array(1))),
        }
    ),
    "GridSample": fixed_template(_MAP, (1, 5, 5, 2)),
    **dict.fromkeys(("BlackmanWindow", "HammingWindow", "HannWindow"), _WINDOW),
    "ImageDecoder": fixed_template((8,)),
    "MelWeightMatrix": versioned_template({1: OpTemplate(((), (), (), (), ()), types={"T2": "float", "T3": "float"})}),
    "MaxRoiPool": fixed_template(_MAP, (2, 5), pooled_shape=[2, 2]),
    "Multinomial": versioned_template({1: OpTemplate(((1, 4),), types={"T2": "int32"})}),
    "NonMaxSuppression": fixed_template((1, 6, 4), (1, 2, 6)),
    "Resize": versioned_template(
        {
            10: OpTemplate((_MAP, _TWICE)),
            11: OpTemplate((_MAP, np.zeros(0, np.float32), _TWICE), {"mode": "linear"}),
            13: OpTemplate((_MAP, None, _TWICE), {"mode": "linear"}),
        }
    ),
    "RoiAlign": fixed_template(_MAP, (2, 4), (2,), output_height=2, output_width=2),
    "STFT": fixed_template((1, 32, 1), np.array(8), (16,)),
    "Upsample": versioned_template(
        {
            1: OpTemplate((_MAP,), {"scales": _TWICE.tolist()}),
            9: OpTemplate((_MAP, _TWICE)),
        }
    ),
}
