"""The first convolution of a network: its weights say what pixel values it was trained on."""

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
"""The mean of photographs of 0..1, and how far that of a training set is from it."""
_ENTANGLED = 0.2
"""Correlation of a bias with the sum of its filter that has other reasons than the input's mean."""
_GAIN, _GAIN_SPREAD = math.log(0.75), 1.1
"""Of trained networks, the logarithm of responses to a photograph as a part of the biases, and its deviation."""
_STORED_GAIN, _STORED_SPREAD = -0.2, 0.6
"""The same where a normalisation behind the convolution stores how large responses were."""
_UNEVEN, _ALIVE = 0.3, 1e-3
"""Deviation of the logarithms of the filters' sizes where a normalisation is folded into them; what part of the largest
is no filter any more."""
_LONGEST, _LEAST_FILTERS, _WINDOWS = 4, 8, 4096
_UNCHANGED = frozenset({"Identity", "Cast", "Pad"})


class FirstLayer(Struct, frozen=True):
    """Filters [out, in, height, width]; the bias [out]; the mean and deviation [out] that its normalisation stores."""

    filters: Numbers
    bias: Numbers
    mean: Numbers | None = None
    std: Numbers | None = None


class InputMean(Struct, frozen=True):
    """What the mean of the input was in training, and the standard error of that."""

    value: float
    error: float


def find_first_layer(model: ir.Model, image: ImageInput) -> FirstLayer | None:
    """Return the convolution that reads the picture as it goes in, None for none that is followed by a normalisation.

    Or was: one that was folded into it leaves filters of uneven sizes.
    """
    value = next(value_info for value_info in model.graph.inputs if value_info.name == image.name)
    for _ in range(_LONGEST):
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
    if len(filters) < _LEAST_FILTERS:
        return None
    stored = constant(input_value(node, 2))
    bias = np.zeros(len(filters)) if stored is None else stored.astype(np.float64)
    normal = next((each for each in consumers(node.outputs[0]) if each.op_type == "BatchNormalization"), None)
    if normal is None:
        folded = float(bias.std()) > 0 and _are_uneven(filters.astype(np.float64))
        return FirstLayer(filters.astype(np.float64), bias) if folded else None
    mean, variance = (constant(input_value(normal, index)) for index in (3, 4))
    if mean is None or variance is None or not mean.any():  # as before training
        return None
    epsilon = normal.attributes.get_float("epsilon", 1e-5)
    std = np.sqrt(variance.astype(np.float64) + epsilon)
    return FirstLayer(filters.astype(np.float64), bias, mean.astype(np.float64), std)


def _are_uneven(filters: Numbers) -> bool:
    sizes = np.sqrt((filters**2).sum(axis=(1, 2, 3)))
    alive = sizes[sizes > _ALIVE * sizes.max()]
    return len(alive) >= _LEAST_FILTERS and float(np.log(alive).std()) > _UNEVEN


def input_mean(layer: FirstLayer) -> InputMean:
    """Return the input's mean in training, m: a normalisation stores m * sum(filter) + bias as its mean.

    Folded into the convolution it leaves beta - m * sum(filter) * gamma / std in the bias, whose beta knows nothing
    of the sum: the slope of a regression over the filters is -m.
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
    return InputMean(slope, error * math.sqrt(1 + _ENTANGLED**2 * len(sums)))


def range_likelihoods(
    layer: FirstLayer, candidates: Sequence[ImageInput], canvases: Sequence[Numbers], *, doubt: float = 0.0
) -> list[float]:
    """Return the log-likelihood of each preprocessing, given the weights of the first layer.

    Its mean has to be that of the input in training, within its error and a `doubt`, and its responses as large as the
    biases, or as the normalisation says.
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
        return -0.5 * ((gain - _GAIN) / _GAIN_SPREAD) ** 2
    gain = float(np.median(np.log(sizes / layer.std)))
    return -0.5 * ((gain - _STORED_GAIN) / _STORED_SPREAD) ** 2


def _responses(layer: FirstLayer, candidate: ImageInput, canvases: Sequence[Numbers]) -> Numbers:
    """Return what the filters make of some windows of the photographs, [windows, out]."""
    responses = []
    for canvas in canvases:
        fed: NDArray[Any] = normalize(canvas, candidate)[0]
        planes = np.moveaxis(fed, -1, 0) if candidate.layout == "nhwc" else fed  # [in, H, W]
        height, width = layer.filters.shape[2:]
        if planes.shape[0] != layer.filters.shape[1] or planes.shape[1] < height or planes.shape[2] < width:
            return np.zeros((1, len(layer.filters)))
        windows = sliding_window_view(planes, (height, width), axis=(1, 2))  # [in, H', W', height, width]
        step = max(1, math.isqrt(windows.shape[1] * windows.shape[2] // _WINDOWS))
        responses.append(np.tensordot(windows[:, ::step, ::step], layer.filters, axes=([0, 3, 4], [1, 2, 3])))
    return np.concatenate([each.reshape(-1, len(layer.filters)) for each in responses]).astype(np.float64)
