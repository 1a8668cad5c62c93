"""Convolutions, pools, matrix products, recurrent layers, attention."""

from __future__ import annotations

from typing import Any

from webbuild.probe.op_template import fixed_template

_MAP = (1, 4, 8, 8)
_HALVES: dict[str, Any] = {"kernel_shape": [2, 2], "strides": [2, 2]}

TEMPLATES = {
    "Attention": fixed_template((1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 4)),
    "AveragePool": fixed_template(_MAP, **_HALVES),
    "Conv": fixed_template(_MAP, (4, 4, 3, 3), (4,)),
    "ConvTranspose": fixed_template(_MAP, (4, 4, 3, 3), (4,)),
    "DeformConv": fixed_template(_MAP, (4, 4, 3, 3), (1, 18, 6, 6)),
    "Det": fixed_template((2, 3, 3)),
    "Einsum": fixed_template((2, 3, 4), (2, 4, 5), equation="bij,bjk->bik"),
    "GRU": fixed_template((3, 1, 4), (1, 15, 4), (1, 15, 5), hidden_size=5),
    "Gemm": fixed_template((3, 4), (4, 5), (5,)),
    "GlobalAveragePool": fixed_template(_MAP),
    "GlobalLpPool": fixed_template(_MAP),
    "GlobalMaxPool": fixed_template(_MAP),
    "LSTM": fixed_template((3, 1, 4), (1, 20, 4), (1, 20, 5), hidden_size=5),
    "LpPool": fixed_template(_MAP, **_HALVES),
    "MatMul": fixed_template((2, 3, 4), (2, 4, 5)),
    "MaxPool": fixed_template(_MAP, **_HALVES),
    "MaxUnpool": fixed_template((1, 1, 2, 2), (1, 1, 2, 2), **_HALVES),
    "NegativeLogLikelihoodLoss": fixed_template((3, 5), (3,)),
    "RNN": fixed_template((3, 1, 4), (1, 5, 4), (1, 5, 5), hidden_size=5),
    "RotaryEmbedding": fixed_template((1, 2, 3, 4), (8, 2), (8, 2), (1, 3)),
    "SoftmaxCrossEntropyLoss": fixed_template((3, 5), (3,)),
}
