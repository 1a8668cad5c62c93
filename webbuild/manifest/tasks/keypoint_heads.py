"""How a graph says where keypoints are: vectors, heat maps or numbers."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName


class SimccHead(ManifestStruct, tag="simcc", tag_field="kind", kw_only=True, frozen=True):
    """Keypoints as two vectors of scores for each, along the input's width and its height (SimCC).

    In `x` [crops, keypoints, width * split_ratio] and `y` [crops, keypoints, height * split_ratio] a keypoint is at the
    largest score, (index of x, index of y) / split_ratio in pixels of the input. Its confidence is the mean of the two
    scores. Where that is not above 0, both indices are -1.
    """

    x: OutputName
    y: OutputName
    split_ratio: float = 2.0


class HeatmapHead(ManifestStruct, tag="heatmap", tag_field="kind", kw_only=True, frozen=True):
    """Keypoints as a heat map of the input for each: `output` [crops, keypoints, rows, columns].

    A keypoint is at the cell with the largest value, which is its confidence. Where that is not above 0, the cell is
    (-1, -1), else it is refined:

    shift: a quarter of a cell towards the larger of the two neighbours along each axis. Along x only for
    1 < x < columns - 1 and y > 0, along y only for 1 < y < rows - 1 and x > 0.

    dark, udp: a Newton step to the top of a parabola through the logarithms of the map, blurred with a Gaussian of
    `sigma`, cut off beyond `radius` cells. Beyond the map lie, by `border`, its own cells mirrored with their edge
    (`symmetric`: b a | a b) or without (`reflect`: c b | a b), or zeros. For `dark` blurred values are at least 1e-10,
    second derivatives two cells wide, and cells within two of an edge stay as they are. For `udp` values are held to
    0.001..50, and derivatives are one cell wide.

    The cell (x, y) is at (x * width / columns, y * height / rows) of the input, where `unbiased` at (x * (width - 1) /
    (columns - 1), y * (height - 1) / (rows - 1)).
    """

    output: OutputName
    refine: Literal["none", "shift", "dark", "udp"] = "none"
    sigma: float = 0.8
    radius: Count = 5
    border: Literal["symmetric", "reflect", "zero"] = "symmetric"
    unbiased: bool = False


class RegressionHead(ManifestStruct, tag="regression", tag_field="kind", kw_only=True, frozen=True):
    """Keypoints as numbers: `output` [crops, keypoints * columns] or [crops, keypoints, columns], or of ones between.

    `columns` are x and y, and then a depth z or a confidence c. In the range `unit` 0 and 1 are the edges of the input,
    with `signed` -1 and 1 are; `pixels` are those of the input. Without c a confidence is 1.
    """

    output: OutputName
    columns: Literal["xy", "xyz", "xyc"] = "xy"
    range: Literal["unit", "signed", "pixels"] = "unit"
