"""Tolerances: the largest differences between equal answers of a model, on native kernels and in browsers.

Not here: those of the picture's tensor (`verify/run_sample.py`) and of single kernels (`probe/compare_output.py`).
"""

from __future__ import annotations

from msgspec import Struct


class Tolerance(Struct, frozen=True):
    """The largest differences between two results that are the same. Pixels are those of the model's input.

    `mask` is the part of a mask, of what either side covers, that may be covered by one side only. One cell more
    may: it can lie so close to the outline that rounding decides, and a small mask has few others. `region` is the
    same of a panoptic model's regions, a pixel more. `relative` is how far other floating point outputs may lie apart,
    as a part of their largest magnitude. `depth` is the absolute relative error of a depth map: the mean of
    |got - want| / |want|. A single pixel may be off by `depth_worst` times that, and depths below `depth_floor` of the
    largest count as large as that: a relative map may be 0. `picture` is the root mean square of the differences of a
    picture's levels, as a part of white: 0.002 is a PSNR of 54 dB. A single level may be off by `picture_worst` times
    that. `alpha` is the mean absolute error of alpha, which lies in 0..1. A single pixel may be off by `alpha_worst`
    times that. `gradient` is the mean absolute error of alpha's gradient along outlines, per pixel.
    """

    score: float
    pixels: float
    iou: float = 1e-3
    mask: float = 0.02
    region: float = 0.005
    relative: float = 1e-4
    depth: float = 1e-4
    depth_worst: float = 10
    depth_floor: float = 0.01
    picture: float = 0.002
    picture_worst: float = 10
    alpha: float = 1e-4
    alpha_worst: float = 10
    cosine: float = 1e-4
    gradient: float = 1e-4


REDUCED_PRECISION = Tolerance(
    score=0.01, pixels=0.5, iou=0.01, region=0.02, relative=0.01, depth=0.01, picture=0.01, alpha=0.005, gradient=0.005
)
"""For a graph in reduced precision, wherever it is run: a number of half precision has 11 bits, so it is off by up to
1 part in 2,048 wherever one is stored, and sums of many by more."""

NATIVE = Tolerance(score=1e-4, pixels=0.05)
"""For a rewritten graph against the original, both on the kernels of native ONNX Runtime: what another order of
operations makes of the same numbers."""

BROWSER = Tolerance(score=1e-3, pixels=0.5, depth=1e-3, alpha=1e-3, gradient=1e-3)
"""For a graph in a browser against the same graph on native ONNX Runtime: ten times as far, since every kernel is
another one, and a pixel of the picture may be resampled on a GPU."""
