"""Empty tensors in layers: no rows, no time steps, no output channels, no boxes, no queries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from webbuild.probe.probe_model import Initializer, Probe, int64s, make_probe, scalar
from webbuild.probe.random_data import RandomData, empty

_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
_FUSED: dict[str, Any] = {"domain": "com.microsoft", "outputs": ("float",)}
_UNARY = """
Acos Asin Atan Atanh Acosh Asinh Celu Cosh Elu HardSigmoid HardSwish IsInf IsNaN Mish Round Selu Shrink Sign Sinh
Softplus Softsign Tan ThresholdedRelu Swish
"""


def cases(draw: RandomData) -> Iterator[Probe]:
    """Yield the probes."""
    for op in _UNARY.split():
        yield make_probe(op, empty(0, 3), opset=24 if op == "Swish" else 20)
    yield from _pairs(draw)
    yield from _products(draw)
    yield from _norms(draw)
    yield from _recurrent(draw)
    yield from _attention(draw)
    yield from _chosen(draw)
    yield from _pictures(draw)
    yield from _quantized(draw)


def _pairs(draw: RandomData) -> Iterator[Probe]:
    no = np.zeros((0, 3), bool)
    for op in ("And", "Or", "Xor"):
        yield make_probe(op, no, draw.bools(3))
    for op in ("Min", "Mean", "Sum", "PRelu", "Less", "LessOrEqual", "GreaterOrEqual"):
        yield make_probe(op, empty(0, 3), draw.floats(3))
    yield make_probe("Mod", np.zeros((0, 3), np.int32), np.array([2], np.int32))
    yield make_probe("Add int64", np.zeros((0, 3), np.int64), np.array([2]))
    yield make_probe("Add no columns", empty(2, 0), draw.floats(2, 1))
    yield make_probe("Where condition alone", no, draw.floats(3), draw.floats(1))
    yield make_probe("Where choices alone", np.array([True]), empty(0, 3), draw.floats(3))


def _products(draw: RandomData) -> Iterator[Probe]:
    yield make_probe("MatMul columns", draw.floats(2, 3), empty(3, 0))
    yield make_probe("MatMul inner of batches", empty(2, 3, 0), empty(2, 0, 4))
    yield make_probe("MatMul rows, weights", empty(1, 0, 16), Initializer(draw.floats(16, 8)))
    yield make_probe("Gemm columns", draw.floats(2, 3), empty(3, 0))
    yield make_probe("Gemm inner without C", empty(2, 0), empty(0, 4))
    yield make_probe("Gemm rows, transB", empty(0, 3), draw.floats(4, 3), draw.floats(4), transB=1)
    yield make_probe("Einsum inner", empty(2, 0), empty(0, 4), equation="ij,jk->ik")
    yield make_probe("Einsum transposed", empty(0, 3), equation="ij->ji")
    yield make_probe("ConvTranspose 1-D batch", empty(0, 3, 8), draw.floats(3, 4, 3))
    yield make_probe("Conv 1-D batch", empty(0, 3, 8), draw.floats(4, 3, 3))
    yield make_probe("Conv 1x1 batch", empty(0, 4, 8, 8), Initializer(draw.floats(8, 4, 1, 1)))
    yield make_probe("Conv depthwise batch", empty(0, 4, 8, 8), Initializer(draw.floats(4, 1, 3, 3)), group=4)
    yield make_probe("Conv 3-D batch", empty(0, 2, 4, 4, 4), Initializer(draw.floats(3, 2, 2, 2, 2)))


def _norms(draw: RandomData) -> Iterator[Probe]:
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        yield make_probe(f"{op} other axis", empty(2, 0, 3), axis=2)
        yield make_probe(f"{op} along it", empty(2, 0), axis=1)
    yield make_probe("LpNormalization", empty(0, 3), axis=1)
    yield make_probe("LRN", empty(0, 6, 4, 4), size=3)
    yield make_probe("MeanVarianceNormalization", empty(0, 3, 4, 4))
    yield make_probe("RMSNormalization", empty(0, 8), draw.floats(8), opset=23)
    yield make_probe("LayerNormalization three", empty(0, 4), draw.floats(4), outputs=3)
    yield make_probe("SkipLayerNormalization", empty(1, 0, 8), empty(1, 0, 8), draw.floats(8), draw.floats(8), **_FUSED)
    yield make_probe("CumSum along it", empty(2, 0), scalar(1, np.int64))
    yield make_probe("ReduceSum two axes", empty(2, 0, 3), int64s(1, 2))
    yield make_probe("ReduceMean all", empty(2, 0), keepdims=0)
    for op in ("ReduceMax", "ReduceSum", "ReduceMean"):
        yield make_probe(f"{op} as an attribute", empty(0, 3), opset=11, axes=[1])
    yield make_probe("ReduceSum int32", np.zeros((0, 3), np.int32), int64s(0))


def _recurrent(draw: RandomData) -> Iterator[Probe]:
    for op, gates in _GATES.items():
        weights = Initializer(draw.floats(1, gates * 3, 4)), Initializer(draw.floats(1, gates * 3, 3))
        if op == "RNN":  # the others crash native ONNX Runtime
            yield make_probe(f"{op} batch", empty(5, 0, 4), *weights, hidden_size=3, outputs=2)
        if op != "GRU":
            yield make_probe(f"{op} steps", empty(0, 2, 4), *weights, hidden_size=3, outputs=1)


def _attention(draw: RandomData) -> Iterator[Probe]:
    inputs = empty(1, 2, 0, 4), draw.floats(8, 2), draw.floats(8, 2), np.zeros((1, 0), np.int64)
    yield make_probe("RotaryEmbedding", *inputs, opset=23)
    three = empty(1, 0, 16), draw.floats(1, 4, 16), draw.floats(1, 4, 16)
    yield make_probe("MultiHeadAttention queries", *three, num_heads=2, **_FUSED)
    packed = draw.ints(6, 2, 8, high=255, dtype=np.uint8)
    rows = empty(0, 32), Initializer(packed), Initializer(draw.positive(12))
    yield make_probe("MatMulNBits", *rows, K=32, N=6, bits=4, block_size=16, **_FUSED)
    yield make_probe("Gelu fused", empty(0, 3), **_FUSED)


def _chosen(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(4, 3)
    yield make_probe("Compress none", x, np.zeros(4, bool), axis=0)
    yield make_probe("NonZero of none", np.zeros((0, 3), bool))
    yield make_probe("Unique of none", empty(0))
    yield make_probe("OneHot of none", np.zeros(0, np.int64), scalar(3, np.int64), Initializer(x[0, :2]))
    yield make_probe("ConstantOfShape", np.array([0, 3]))
    yield make_probe("EyeLike", empty(0, 3))
    yield make_probe("ReverseSequence", empty(4, 0, 3), np.zeros(0, np.int64))
    yield make_probe("TopK none of none", empty(2, 0), np.array([0]), outputs=2)
    yield make_probe("GatherND of none", empty(4, 0), np.array([[1], [2]]))
    yield make_probe("GatherElements of none", empty(0, 3), np.zeros((0, 3), np.int64))
    yield make_probe("Concat middle", x, empty(0, 3), x, axis=0)
    yield make_probe("Concat int64", np.zeros(0, np.int64), np.array([1, 2]), axis=0)
    yield make_probe("Split two parts", x, int64s(0, 4, 0), outputs=3, axis=0)
    yield make_probe("Split by number", empty(0, 4), outputs=2, opset=18, axis=1, num_outputs=2)
    yield make_probe("Slice past the end", x, int64s(9), int64s(12), int64s(0))
    yield make_probe("Slice backwards to none", x, int64s(0), int64s(3), int64s(0), int64s(-1))
    yield make_probe("Dropout", empty(0, 3))
    boxes = empty(1, 0, 4), empty(1, 2, 0), int64s(5), Initializer(np.array([0.5], np.float32))
    yield make_probe("NonMaxSuppression no boxes", *boxes)


def _pictures(draw: RandomData) -> Iterator[Probe]:
    x = draw.floats(1, 3, 8, 8)
    size: dict[str, Any] = {"output_height": 3, "output_width": 3}
    yield make_probe("RoiAlign no boxes", x, empty(0, 4), np.zeros(0, np.int64), opset=16, **size)
    yield make_probe("GridSample batch", empty(0, 2, 4, 4), empty(0, 3, 3, 2))
    yield make_probe("GridSample columns", x, empty(1, 3, 0, 2))
    yield make_probe("AffineGrid", empty(0, 2, 3), int64s(0, 3, 4, 4), opset=20)
    yield make_probe("DepthToSpace", empty(0, 4, 3, 3), blocksize=2)
    yield make_probe("SpaceToDepth", empty(0, 4, 4, 4), blocksize=2)
    yield make_probe("Resize cubic batch", empty(0, 3, 4, 4), None, None, int64s(0, 3, 8, 8), mode="cubic")
    for op in ("GlobalMaxPool", "GlobalLpPool"):
        yield make_probe(op, empty(0, 3, 8, 8))
    yield make_probe("LpPool", empty(0, 3, 8, 8), kernel_shape=[2, 2])
    yield make_probe("MaxPool 1-D", empty(0, 3, 8), kernel_shape=[2])
    yield make_probe("DFT", empty(0, 8, 1), axis=1)
    offsets = Initializer(draw.floats(6, 4, 3, 3)), empty(0, 18, 6, 6)
    yield make_probe("DeformConv", empty(0, 4, 8, 8), *offsets, opset=19)


def _quantized(draw: RandomData) -> Iterator[Probe]:
    none, scale, zero = np.zeros((0, 4), np.uint8), scalar(0.1), scalar(3, np.uint8)
    yield make_probe("QuantizeLinear", empty(0, 3), scale, zero)
    yield make_probe("DequantizeLinear", none, scale, zero)
    many = Initializer(draw.positive(4)), Initializer(draw.ints(4, dtype=np.uint8))
    yield make_probe("DequantizeLinear axis", none, *many, axis=1)
    yield make_probe("MatMulInteger", none, draw.ints(4, 5, high=9, dtype=np.uint8))
