"""Convolutions, pools, products, recurrences, attention."""

from __future__ import annotations

from typing import Any

from webbuild.probe.form import always

_MAP = (1, 4, 8, 8)
_HALVES: dict[str, Any] = {"kernel_shape": [2, 2], "strides": [2, 2]}

FORMS = {
    "Attention": always((1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 4)),
    "AveragePool": always(_MAP, **_HALVES),
    "Conv": always(_MAP, (4, 4, 3, 3), (4,)),
    "ConvTranspose": always(_MAP, (4, 4, 3, 3), (4,)),
    "DeformConv": always(_MAP, (4, 4, 3, 3), (1, 18, 6, 6)),
    "Det": always((2, 3, 3)),
    "Einsum": always((2, 3, 4), (2, 4, 5), equation="bij,bjk->bik"),
    "GRU": always((3, 1, 4), (1, 15, 4), (1, 15, 5), hidden_size=5),
    "Gemm": always((3, 4), (4, 5), (5,)),
    "GlobalAveragePool": always(_MAP),
    "GlobalLpPool": always(_MAP),
    "GlobalMaxPool": always(_MAP),
    "LSTM": always((3, 1, 4), (1, 20, 4), (1, 20, 5), hidden_size=5),
    "LpPool": always(_MAP, **_HALVES),
    "MatMul": always((2, 3, 4), (2, 4, 5)),
    "MaxPool": always(_MAP, **_HALVES),
    "MaxUnpool": always((1, 1, 2, 2), (1, 1, 2, 2), **_HALVES),
    "NegativeLogLikelihoodLoss": always((3, 5), (3,)),
    "RNN": always((3, 1, 4), (1, 5, 4), (1, 5, 5), hidden_size=5),
    "RotaryEmbedding": always((1, 2, 3, 4), (8, 2), (8, 2), (1, 3)),
    "SoftmaxCrossEntropyLoss": always((3, 5), (3,)),
}
