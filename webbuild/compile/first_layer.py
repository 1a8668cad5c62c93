"""First convolution of a network: its weights are evidence for the pixel range that it was trained on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import onnx_ir as ir
from msgspec import Struct
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from webbuild.manifest.manifest import ImageInput
from webbuild.passes.rewrite import constant, consumers, input_value
from webbuild.preprocess.image import normalize

Numbers = NDArray[np.float64]

BRIGHTNESS, BRIGHTNESS_SPREAD = 0.45, 0.12
"""Mean brightness of photographs in 0..1, and the standard deviation of that mean between training sets."""
_BIAS_CORRELATION = 0.2
"""Correlation of biases with filter sums that the input's mean does not cause."""
_LOG_GAIN, _LOG_GAIN_SPREAD = math.log(0.75), 1.1
"""In trained networks: mean and deviation of log(response to a photograph / bias)."""
_STORED_LOG_GAIN, _STORED_LOG_GAIN_SPREAD = -0.2, 0.6
"""The same for log(response / stored std) if a BatchNormalization follows the convolution."""
_MIN_FOLDED_SPREAD, _MIN_FILTER_SIZE = 0.3, 1e-3
"""Minimum standard deviation of log filter norms if a BatchNormalization is folded in; and the norm, relative to the
largest, below which a filter counts as dead."""
_MAX_NODES, _MIN_FILTERS, _MAX_WINDOWS = 4, 8, 4096
_UNCHANGED = frozenset({"Identity", "Cast", "Pad"})


class FirstLayer(Struct, frozen=True):
    """Filters [out, in, height, width]; the bias [out]; the mean and std [out] stored in its BatchNormalization."""

    filters: Numbers
    bias: Numbers
    mean: Numbers | None = None
    std: Numbers | None = None


class InputMean(Struct, frozen=True):
    """Estimated mean of the training input, and its standard error."""

    value: float
    error: float


def find_first_layer(model: ir.Model, image: ImageInput) -> FirstLayer | None:
    """Return the first convolution on the picture, if a BatchNormalization follows it or was folded into it; else None.

    A folded BatchNormalization leaves filters of uneven norms.
    """
    value = next(value_info for value_info in model.graph.inputs if value_info.name == image.name)
    for _ in range(_MAX_NODES):
        readers = [node for node in consumers(value) if node.op_type != "Shape"]
        if len(readers) != 1:
            return None
        (node,) = readers
        if node.op_type == "Conv":
            return _layer(node)
        if node.op_type not in _UNCHANGED and node.op_type != "Transpose":
            return None
        value = node.outputs[0]
    return None


def _layer(node: ir.Node) -> FirstLayer | None:
    filters = constant(node.inputs[1])
    if filters is None or filters.ndim != 4 or node.attributes.get_int("group", 1) != 1:
        return None
    if len(filters) < _MIN_FILTERS:
        return None
    stored = constant(input_value(node, 2))
    bias = np.zeros(len(filters)) if stored is None else stored.astype(np.float64)
    normal = next((each for each in consumers(node.outputs[0]) if each.op_type == "BatchNormalization"), None)
    if normal is None:
        folded = float(bias.std()) > 0 and _are_uneven(filters.astype(np.float64))
        return FirstLayer(filters.astype(np.float64), bias) if folded else None
    mean, variance = (constant(input_value(normal, index)) for index in (3, 4))
    if mean is None or variance is None or not mean.any():  # a zero mean: not trained
        return None
    epsilon = normal.attributes.get_float("epsilon", 1e-5)
    std = np.sqrt(variance.astype(np.float64) + epsilon)
    return FirstLayer(filters.astype(np.float64), bias, mean.astype(np.float64), std)


def _are_uneven(filters: Numbers) -> bool:
    sizes = np.sqrt((filters**2).sum(axis=(1, 2, 3)))
    alive = sizes[sizes > _MIN_FILTER_SIZE * sizes.max()]
    return len(alive) >= _MIN_FILTERS and float(np.log(alive).std()) > _MIN_FOLDED_SPREAD


def input_mean(layer: FirstLayer) -> InputMean:
    """Estimate the mean m of the training input. BatchNormalization stores mean = m * sum(filter) + bias.

    If it is folded into the convolution, bias = beta - m * sum(filter) * gamma / std. Beta is independent of the sum,
    so a regression of the biases on the sums has slope -m.
    """
    sums = layer.filters.sum(axis=(1, 2, 3))
    if layer.mean is None:
        target, across = -layer.bias, sums - sums.mean()
        rest, free = target - target.mean(), len(sums) - 2
    else:
        target = rest = layer.mean - layer.bias
        across, free = sums, len(sums) - 1
    power = float(across @ across)
    if power == 0:
        return InputMean(0.0, math.inf)
    slope = float(across @ target) / power
    error = math.sqrt(float(((rest - slope * across) ** 2).sum()) / free / power)
    return InputMean(slope, error * math.sqrt(1 + _BIAS_CORRELATION**2 * len(sums)))


def range_likelihoods(
    layer: FirstLayer, candidates: Sequence[ImageInput], canvases: Sequence[Numbers], *, doubt: float = 0.0
) -> list[float]:
    """Return the log-likelihood of each preprocessing, given the weights of the first layer.

    Two terms: the candidate's mean against the estimated training mean, with its error and an extra `doubt`; and the
    size of its responses against the biases, or against the stored std.
    """
    mean = input_mean(layer)
    trained = msgspec.structs.replace(mean, error=math.hypot(mean.error, doubt))
    return [
        _gain_likelihood(layer, _responses(layer, candidate, canvases)) + _mean_likelihood(trained, candidate)
        for candidate in candidates
    ]


def _mean_likelihood(trained: InputMean, candidate: ImageInput) -> float:
    if math.isinf(trained.error):
        return 0.0
    unit = 255 * candidate.scale / float(np.mean(candidate.std))
    expected = BRIGHTNESS * unit - float(np.mean(np.asarray(candidate.mean) / np.asarray(candidate.std)))
    deviation = math.hypot(trained.error, BRIGHTNESS_SPREAD * unit)
    return -0.5 * ((trained.value - expected) / deviation) ** 2 - math.log(deviation)


def _gain_likelihood(layer: FirstLayer, responses: Numbers) -> float:
    sizes = np.maximum(responses.std(axis=0), 1e-12)
    if layer.std is None:
        gain = math.log(float(np.median(sizes)) / float(layer.bias.std()))
        return -0.5 * ((gain - _LOG_GAIN) / _LOG_GAIN_SPREAD) ** 2
    gain = float(np.median(np.log(sizes / layer.std)))
    return -0.5 * ((gain - _STORED_LOG_GAIN) / _STORED_LOG_GAIN_SPREAD) ** 2


def _responses(layer: FirstLayer, candidate: ImageInput, canvases: Sequence[Numbers]) -> Numbers:
    """Return the responses of the filters on windows of the photographs, [windows, out]."""
    responses = []
    for canvas in canvases:
        fed: NDArray[Any] = normalize(canvas, candidate)[0]
        planes = np.moveaxis(fed, -1, 0) if candidate.layout == "nhwc" else fed  # [in, H, W]
        height, width = layer.filters.shape[2:]
        if planes.shape[0] != layer.filters.shape[1] or planes.shape[1] < height or planes.shape[2] < width:
            return np.zeros((1, len(layer.filters)))
        windows = sliding_window_view(planes, (height, width), axis=(1, 2))  # [in, H', W', height, width]
        step = max(1, math.isqrt(windows.shape[1] * windows.shape[2] // _MAX_WINDOWS))
        responses.append(np.tensordot(windows[:, ::step, ::step], layer.filters, axes=([0, 3, 4], [1, 2, 3])))
    return np.concatenate([each.reshape(-1, len(layer.filters)) for each in responses]).astype(np.float64)
