"""A dimension of zero in layers: no rows, no steps, no channels of the result, no boxes, nothing to attend to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Probe, initializer, int64_initializer, make_probe, scalar_initializer
from webbuild.probe.random_data import RandomData, empty_tensor

_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
_FUSED: dict[str, Any] = {"domain": "com.microsoft", "outputs": ("float",)}
_UNARY = """
Acos Asin Atan Atanh Acosh Asinh Celu Cosh Elu HardSigmoid HardSwish IsInf IsNaN Mish Round Selu Shrink Sign Sinh
Softplus Softsign Tan ThresholdedRelu Swish
"""


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for op in _UNARY.split():
        yield make_probe(f"zero_layers/{op}", op, empty_tensor(0, 3), opset=24 if op == "Swish" else 20)
    yield from _pairs(draw)
    yield from _products(draw)
    yield from _norms(draw)
    yield from _recurrent(draw)
    yield from _attention(draw)
    yield from _chosen(draw)
    yield from _pictures(draw)
    yield from _quantised(draw)


def _pairs(draw: RandomData) -> Iterator[Probe]:
    no = np.zeros((0, 3), bool)
    for op in ("And", "Or", "Xor"):
        yield make_probe(f"zero_layers/{op}", op, no, draw.bools(3))
    for op in ("Min", "Mean", "Sum", "PRelu", "Less", "LessOrEqual", "GreaterOrEqual"):
        yield make_probe(f"zero_layers/{op}", op, empty_tensor(0, 3), draw.floats(3))
    yield make_probe("zero_layers/Mod", "Mod", np.zeros((0, 3), np.int32), np.array([2], np.int32))
    yield make_probe("zero_layers/Add int64", "Add", np.zeros((0, 3), np.int64), np.array([2]))
    yield make_probe("zero_layers/Add no columns", "Add", empty_tensor(2, 0), draw.floats(2, 1))
    yield make_probe("zero_layers/Where condition alone", "Where", no, draw.floats(3), draw.floats(1))
    yield make_probe("zero_layers/Where choices alone", "Where", np.array([True]), empty_tensor(0, 3), draw.floats(3))


def _products(draw: RandomData) -> Iterator[Probe]:
    yield make_probe("zero_layers/MatMul columns", "MatMul", draw.floats(2, 3), empty_tensor(3, 0))
    yield make_probe("zero_layers/MatMul inner of batches", "MatMul", empty_tensor(2, 3, 0), empty_tensor(2, 0, 4))
    yield make_probe(
        "zero_layers/MatMul rows, weights", "MatMul", empty_tensor(1, 0, 16), initializer(draw.floats(16, 8))
    )
    yield make_probe("zero_layers/Gemm columns", "Gemm", draw.floats(2, 3), empty_tensor(3, 0))
    yield make_probe("zero_layers/Gemm inner without C", "Gemm", empty_tensor(2, 0), empty_tensor(0, 4))
    yield make_probe(
        "zero_layers/Gemm rows, transB", "Gemm", empty_tensor(0, 3), draw.floats(4, 3), draw.floats(4), transB=1
    )
    yield make_probe("zero_layers/Einsum inner", "Einsum", empty_tensor(2, 0), empty_tensor(0, 4), equation="ij,jk->ik")
    yield make_probe("zero_layers/Einsum transposed", "Einsum", empty_tensor(0, 3), equation="ij->ji")
    yield make_probe(
        "zero_layers/ConvTranspose 1-D batch", "ConvTranspose", empty_tensor(0, 3, 8), draw.floats(3, 4, 3)
    )
    yield make_probe("zero_layers/Conv 1-D batch", "Conv", empty_tensor(0, 3, 8), draw.floats(4, 3, 3))
    yield make_probe(
        "zero_layers/Conv 1x1 batch", "Conv", empty_tensor(0, 4, 8, 8), initializer(draw.floats(8, 4, 1, 1))
    )
    yield make_probe(
        "zero_layers/Conv depthwise batch",
        "Conv",
        empty_tensor(0, 4, 8, 8),
        initializer(draw.floats(4, 1, 3, 3)),
        group=4,
    )
    yield make_probe(
        "zero_layers/Conv 3-D batch", "Conv", empty_tensor(0, 2, 4, 4, 4), initializer(draw.floats(3, 2, 2, 2, 2))
    )


def _norms(draw: RandomData) -> Iterator[Probe]:
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        yield make_probe(f"zero_layers/{op} other axis", op, empty_tensor(2, 0, 3), axis=2)
        yield make_probe(f"zero_layers/{op} along it", op, empty_tensor(2, 0), axis=1)
    yield make_probe("zero_layers/LpNormalization", "LpNormalization", empty_tensor(0, 3), axis=1)
    yield make_probe("zero_layers/LRN", "LRN", empty_tensor(0, 6, 4, 4), size=3)
    yield make_probe("zero_layers/MeanVarianceNormalization", "MeanVarianceNormalization", empty_tensor(0, 3, 4, 4))
    yield make_probe("zero_layers/RMSNormalization", "RMSNormalization", empty_tensor(0, 8), draw.floats(8), opset=23)
    yield make_probe(
        "zero_layers/LayerNormalization three", "LayerNormalization", empty_tensor(0, 4), draw.floats(4), outputs=3
    )
    skipped = empty_tensor(1, 0, 8), empty_tensor(1, 0, 8), draw.floats(8), draw.floats(8)
    yield make_probe("zero_layers/SkipLayerNormalization", "SkipLayerNormalization", *skipped, **_FUSED)
    yield make_probe("zero_layers/CumSum along it", "CumSum", empty_tensor(2, 0), scalar_initializer(1, np.int64))
    yield make_probe("zero_layers/ReduceSum two axes", "ReduceSum", empty_tensor(2, 0, 3), int64_initializer(1, 2))
    yield make_probe("zero_layers/ReduceMean all", "ReduceMean", empty_tensor(2, 0), keepdims=0)
    for op in ("ReduceMax", "ReduceSum", "ReduceMean"):
        yield make_probe(f"zero_layers/{op} as an attribute", op, empty_tensor(0, 3), opset=11, axes=[1])
    yield make_probe("zero_layers/ReduceSum int32", "ReduceSum", np.zeros((0, 3), np.int32), int64_initializer(0))


def _recurrent(draw: RandomData) -> Iterator[Probe]:
    for op, gates in _GATES.items():
        weights = initializer(draw.floats(1, gates * 3, 4)), initializer(draw.floats(1, gates * 3, 3))
        if op == "RNN":  # of the others, native ONNX Runtime ends its process
            yield make_probe(f"zero_layers/{op} batch", op, empty_tensor(5, 0, 4), *weights, hidden_size=3, outputs=2)
        if op != "GRU":
            yield make_probe(f"zero_layers/{op} steps", op, empty_tensor(0, 2, 4), *weights, hidden_size=3, outputs=1)


def _attention(draw: RandomData) -> Iterator[Probe]:
    given = empty_tensor(1, 2, 0, 4), draw.floats(8, 2), draw.floats(8, 2), np.zeros((1, 0), np.int64)
    yield make_probe("zero_layers/RotaryEmbedding", "RotaryEmbedding", *given, opset=23)
    three = empty_tensor(1, 0, 16), draw.floats(1, 4, 16), draw.floats(1, 4, 16)
    yield make_probe("zero_layers/MultiHeadAttention queries", "MultiHeadAttention", *three, num_heads=2, **_FUSED)
    packed = draw.ints(6, 2, 8, high=255, dtype=np.uint8)
    rows = empty_tensor(0, 32), initializer(packed), initializer(draw.positive(12))
    yield make_probe("zero_layers/MatMulNBits", "MatMulNBits", *rows, K=32, N=6, bits=4, block_size=16, **_FUSED)
    yield make_probe("zero_layers/Gelu fused", "Gelu", empty_tensor(0, 3), **_FUSED)


def _chosen(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(4, 3)
    yield make_probe("zero_layers/Compress none", "Compress", x, np.zeros(4, bool), axis=0)
    yield make_probe("zero_layers/NonZero of none", "NonZero", np.zeros((0, 3), bool))
    yield make_probe("zero_layers/Unique of none", "Unique", empty_tensor(0))
    yield make_probe(
        "zero_layers/OneHot of none",
        "OneHot",
        np.zeros(0, np.int64),
        scalar_initializer(3, np.int64),
        initializer(x[0, :2]),
    )
    yield make_probe("zero_layers/ConstantOfShape", "ConstantOfShape", np.array([0, 3]))
    yield make_probe("zero_layers/EyeLike", "EyeLike", empty_tensor(0, 3))
    yield make_probe("zero_layers/ReverseSequence", "ReverseSequence", empty_tensor(4, 0, 3), np.zeros(0, np.int64))
    yield make_probe("zero_layers/TopK none of none", "TopK", empty_tensor(2, 0), np.array([0]), outputs=2)
    yield make_probe("zero_layers/GatherND of none", "GatherND", empty_tensor(4, 0), np.array([[1], [2]]))
    yield make_probe(
        "zero_layers/GatherElements of none", "GatherElements", empty_tensor(0, 3), np.zeros((0, 3), np.int64)
    )
    yield make_probe("zero_layers/Concat middle", "Concat", x, empty_tensor(0, 3), x, axis=0)
    yield make_probe("zero_layers/Concat int64", "Concat", np.zeros(0, np.int64), np.array([1, 2]), axis=0)
    yield make_probe("zero_layers/Split two parts", "Split", x, int64_initializer(0, 4, 0), outputs=3, axis=0)
    yield make_probe(
        "zero_layers/Split by number", "Split", empty_tensor(0, 4), outputs=2, opset=18, axis=1, num_outputs=2
    )
    yield make_probe(
        "zero_layers/Slice past the end", "Slice", x, int64_initializer(9), int64_initializer(12), int64_initializer(0)
    )
    yield make_probe(
        "zero_layers/Slice backwards to none",
        "Slice",
        x,
        int64_initializer(0),
        int64_initializer(3),
        int64_initializer(0),
        int64_initializer(-1),
    )
    yield make_probe("zero_layers/Dropout", "Dropout", empty_tensor(0, 3))
    boxes = empty_tensor(1, 0, 4), empty_tensor(1, 2, 0), int64_initializer(5), initializer(np.array([0.5], np.float32))
    yield make_probe("zero_layers/NonMaxSuppression no boxes", "NonMaxSuppression", *boxes)


def _pictures(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(1, 3, 8, 8)
    size: dict[str, Any] = {"output_height": 3, "output_width": 3}
    yield make_probe(
        "zero_layers/RoiAlign no boxes", "RoiAlign", x, empty_tensor(0, 4), np.zeros(0, np.int64), opset=16, **size
    )
    yield make_probe("zero_layers/GridSample batch", "GridSample", empty_tensor(0, 2, 4, 4), empty_tensor(0, 3, 3, 2))
    yield make_probe("zero_layers/GridSample columns", "GridSample", x, empty_tensor(1, 3, 0, 2))
    yield make_probe(
        "zero_layers/AffineGrid", "AffineGrid", empty_tensor(0, 2, 3), int64_initializer(0, 3, 4, 4), opset=20
    )
    yield make_probe("zero_layers/DepthToSpace", "DepthToSpace", empty_tensor(0, 4, 3, 3), blocksize=2)
    yield make_probe("zero_layers/SpaceToDepth", "SpaceToDepth", empty_tensor(0, 4, 4, 4), blocksize=2)
    yield make_probe(
        "zero_layers/Resize cubic batch",
        "Resize",
        empty_tensor(0, 3, 4, 4),
        None,
        None,
        int64_initializer(0, 3, 8, 8),
        mode="cubic",
    )
    for op in ("GlobalMaxPool", "GlobalLpPool"):
        yield make_probe(f"zero_layers/{op}", op, empty_tensor(0, 3, 8, 8))
    yield make_probe("zero_layers/LpPool", "LpPool", empty_tensor(0, 3, 8, 8), kernel_shape=[2, 2])
    yield make_probe("zero_layers/MaxPool 1-D", "MaxPool", empty_tensor(0, 3, 8), kernel_shape=[2])
    yield make_probe("zero_layers/DFT", "DFT", empty_tensor(0, 8, 1), axis=1)
    offsets = initializer(draw.floats(6, 4, 3, 3)), empty_tensor(0, 18, 6, 6)
    yield make_probe("zero_layers/DeformConv", "DeformConv", empty_tensor(0, 4, 8, 8), *offsets, opset=19)


def _quantised(draw: RandomData) -> Iterator[Probe]:
    none, scale, zero = np.zeros((0, 4), np.uint8), scalar_initializer(0.1), scalar_initializer(3, np.uint8)
    yield make_probe("zero_layers/QuantizeLinear", "QuantizeLinear", empty_tensor(0, 3), scale, zero)
    yield make_probe("zero_layers/DequantizeLinear", "DequantizeLinear", none, scale, zero)
    many = initializer(draw.positive(4)), initializer(draw.ints(4, dtype=np.uint8))
    yield make_probe("zero_layers/DequantizeLinear axis", "DequantizeLinear", none, *many, axis=1)
    yield make_probe("zero_layers/MatMulInteger", "MatMulInteger", none, draw.ints(4, 5, high=9, dtype=np.uint8))
