"""Ranges of pixel values, weighed by the weights of a network's first layer."""

from __future__ import annotations

import math
from collections.abc import Sequence

import onnx_ir as ir
from msgspec import Struct

from webbuild.compile.first_layer import Numbers, find_first_layer, input_mean, range_likelihoods
from webbuild.compile.pixel_ranges import CENTRED, PLAIN, UNIT, PixelRange, usual_ranges, with_range
from webbuild.manifest.manifest import ImageInput
from webbuild.passes.rewrite import static_shape

USUAL, RARE = math.log(2), math.log(0.5)
"""The logarithm of how much likelier the usual range is before anything is known, and one that few exports take."""
CLEARLY, SURELY, HARDLY = math.log(2.5), math.log(8), math.log(30)
"""By how much the best range has to be ahead of the usual one, the usual one of all, any of one that is not tried."""


DOUBT = 1.0
"""The error of the input's mean where the first layer may never have had a normalisation: all of 0..1."""
SURE = 4
"""Errors from which on a mean is said."""


class LayerRanges(Struct, frozen=True):
    """The likeliest range, why it is taken (empty where trials have to decide), and those that are worth a trial."""

    best: PixelRange
    reason: str
    likely: tuple[PixelRange, ...]


def weigh_ranges(
    model: ir.Model, image: ImageInput, canvases: Sequence[Numbers], usual: PixelRange
) -> LayerRanges | None:
    """Return what the first layer says of the range, None where it says nothing."""
    layer = find_first_layer(model, image)
    if layer is None:
        return None
    ranges = usual_ranges(image)
    ranges = (*ranges, CENTRED) if len(image.mean) == 3 else ranges
    candidates = [with_range(image, each) for each in ranges]
    doubt = DOUBT if layer.mean is None and _makes_pictures(model, image) else 0.0
    likelihoods = range_likelihoods(layer, candidates, canvases, doubt=doubt)
    weights = {
        each: weight + (USUAL if each is usual else RARE if each is CENTRED else 0.0)
        for each, weight in zip(ranges, likelihoods, strict=True)
    }
    best, *others = sorted(weights, key=lambda each: -weights[each])
    ahead = weights[best] - weights[others[0] if best is usual else usual]
    likely = tuple(each for each in weights if weights[best] - weights[each] < HARDLY)
    if ahead < (SURELY if best is usual else CLEARLY):
        return LayerRanges(best, "", likely)
    mean = input_mean(layer)
    known = best in (UNIT, PLAIN) and mean.value > SURE * math.hypot(mean.error, doubt)
    mean_text = f" and an input mean of about {mean.value:.2g}" if known else ""
    return LayerRanges(best, f"likely: the weights of the first layer fit these values{mean_text}", likely)


def _makes_pictures(model: ir.Model, image: ImageInput) -> bool:
    """Whether an output has as many channels as the picture: such networks often begin without a normalisation.

    The biases of their first layer then say nothing of the input's mean.
    """
    channels = len(image.mean)
    shapes = [static_shape(value) or [] for value in model.graph.outputs]
    return any(len(shape) == 4 and channels in (shape[1], shape[3]) for shape in shapes)
