"""Pixel ranges ranked by Bayesian evidence in the weights of a network's first layer."""

from __future__ import annotations

import math
from collections.abc import Sequence

import onnx_ir as ir
from msgspec import Struct

from webbuild.compile.first_layer import Numbers, find_first_layer, input_mean, range_likelihoods
from webbuild.compile.pixel_ranges import CENTRED, PLAIN, UNIT, PixelRange, usual_ranges, with_range
from webbuild.manifest.manifest import ImageInput
from webbuild.passes.rewrite import static_shape

USUAL_LOG_PRIOR, RARE_LOG_PRIOR = math.log(2), math.log(0.5)
"""Log prior odds of the task's usual range, and of a range that few exports use."""
CLEAR_MARGIN, SURE_MARGIN, TRIAL_MARGIN = math.log(2.5), math.log(8), math.log(30)
"""Log-odds margins: for another range over the usual one; for the usual one over all others; to skip a trial."""


_UNNORMALIZED_MEAN_ERROR = 1.0
"""Extra error of the estimated input mean if the first layer may be trained without BatchNormalization."""
_MIN_MEAN_SIGMAS = 4
"""The estimated mean is reported if it is at least this many standard errors from 0."""


class LayerRanges(Struct, frozen=True):
    """The likeliest range, the reason (empty if trials must decide), and the ranges to try."""

    best: PixelRange
    reason: str
    likely: tuple[PixelRange, ...]


def weigh_ranges(
    model: ir.Model, image: ImageInput, canvases: Sequence[Numbers], usual: PixelRange
) -> LayerRanges | None:
    """Rank the ranges by the weights of the first layer; None if these are no evidence."""
    layer = find_first_layer(model, image)
    if layer is None:
        return None
    ranges = usual_ranges(image)
    ranges = (*ranges, CENTRED) if len(image.mean) == 3 else ranges
    candidates = [with_range(image, each) for each in ranges]
    doubt = _UNNORMALIZED_MEAN_ERROR if layer.mean is None and _makes_pictures(model, image) else 0.0
    likelihoods = range_likelihoods(layer, candidates, canvases, doubt=doubt)
    weights = {
        each: weight + (USUAL_LOG_PRIOR if each is usual else RARE_LOG_PRIOR if each is CENTRED else 0.0)
        for each, weight in zip(ranges, likelihoods, strict=True)
    }
    best, *others = sorted(weights, key=lambda each: -weights[each])
    ahead = weights[best] - weights[others[0] if best is usual else usual]
    likely = tuple(each for each in weights if weights[best] - weights[each] < TRIAL_MARGIN)
    if ahead < (SURE_MARGIN if best is usual else CLEAR_MARGIN):
        return LayerRanges(best, "", likely)
    mean = input_mean(layer)
    known = best in (UNIT, PLAIN) and mean.value > _MIN_MEAN_SIGMAS * math.hypot(mean.error, doubt)
    mean_text = f" and an input mean of about {mean.value:.2g}" if known else ""
    return LayerRanges(best, f"likely: the weights of the first layer fit these values{mean_text}", likely)


def _makes_pictures(model: ir.Model, image: ImageInput) -> bool:
    """Whether an output has as many channels as the picture: these networks often have no first normalization.

    Without one, the biases of the first layer are no evidence of the input's mean.
    """
    channels = len(image.mean)
    shapes = [static_shape(value) or [] for value in model.graph.outputs]
    return any(len(shape) == 4 and channels in (shape[1], shape[3]) for shape in shapes)
