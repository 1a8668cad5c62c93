"""Tolerances: the largest differences between equal results of a model, on native kernels and in browsers.

The tolerances of the picture tensor (`verify/run_sample.py`) and of kernels (`probe/compare_output.py`) are elsewhere.
"""

from __future__ import annotations

from msgspec import Struct


class Tolerance(Struct, frozen=True):
    """The largest differences between two results that count as equal.

    - `score`: absolute; for classification relative to the best score. `iou`, `cosine`: absolute.
    - `pixels`: in pixels of the model's input.
    - `mask`: the pixels of a mask in only one result, as a fraction of the union of both. One more cell may differ: on
      the outline rounding decides, and a small mask has few cells. `region`: the same for panoptic regions, plus one
      pixel.
    - `relative`: other floating point outputs, relative to their largest magnitude.
    - `depth`: the mean of |got - want| / |want| of a depth map; up to `depth_worst` times that for a pixel. Depths
      below `depth_floor` times the largest count as `depth_floor` times the largest: a relative map may be 0.
    - `picture`: the RMS difference of a picture's levels, relative to white: 0.002 is a PSNR of 54 dB; up to
      `picture_worst` times that for a single level.
    - `alpha`: the mean absolute error of alpha in 0..1; up to `alpha_worst` times that for a pixel.
    - `gradient`: the mean absolute error of alpha's gradient along outlines, per pixel.
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
"""For a graph in reduced precision on any runtime. Half precision has 11 bits: each stored number is off by up to 1
part in 2,048, and sums of many numbers by more."""

NATIVE = Tolerance(score=1e-4, pixels=0.05)
"""For a rewritten graph against the original, both on native ONNX Runtime: only the order of operations differs."""

BROWSER = Tolerance(score=1e-3, pixels=0.5, depth=1e-3, alpha=1e-3, gradient=1e-3)
"""For a graph in a browser against the same graph on native ONNX Runtime: ten times as large, because every kernel
differs, and the GPU may resample the picture."""
