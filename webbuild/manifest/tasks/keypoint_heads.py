"""Keypoint heads: SimCC vectors, heat maps or regression."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Count
from webbuild.manifest.output import OutputName


class SimccHead(ManifestStruct, tag="simcc", tag_field="kind", kw_only=True, frozen=True):
    """SimCC: two score vectors for each keypoint, along the input's width and height.

    `x` [crops, keypoints, width * split_ratio] and `y` [crops, keypoints, height * split_ratio]. A keypoint is at
    (argmax of x, argmax of y) / split_ratio in pixels of the input. Its confidence is the mean of the two scores. If
    that is not above 0, both indices are -1.
    """

    x: OutputName
    y: OutputName
    split_ratio: float = 2.0


class HeatmapHead(ManifestStruct, tag="heatmap", tag_field="kind", kw_only=True, frozen=True):
    """A heat map of the input for each keypoint: `output` [crops, keypoints, rows, columns].

    A keypoint is at the cell with the largest value, which is its confidence. If that is not above 0, the cell is (-1,
    -1). Otherwise the cell is refined:

    - shift: by a quarter of a cell towards the larger of the two neighbours along each axis. Along x only for 1 < x <
      columns - 1 and y > 0, along y only for 1 < y < rows - 1 and x > 0.
    - dark, udp: by a Newton step to the maximum of a parabola through the logarithm of the map, which is blurred with a
      Gaussian of `sigma`, truncated beyond `radius` cells. Outside of the map, by `border`, the cells are mirrored with
      the edge (`symmetric`: b a | a b) or without it (`reflect`: c b | a b), or are zeros. For `dark`, blurred values
      are at least 1e-10, second derivatives are two cells wide, and cells within two of an edge are not refined. For
      `udp`, values are clamped to 0.001..50, and derivatives are one cell wide.

    The cell (x, y) is at (x * width / columns, y * height / rows) of the input, or with `unbiased` at
    (x * (width - 1) / (columns - 1), y * (height - 1) / (rows - 1)).
    """

    output: OutputName
    refine: Literal["none", "shift", "dark", "udp"] = "none"
    sigma: float = 0.8
    radius: Count = 5
    border: Literal["symmetric", "reflect", "zero"] = "symmetric"
    unbiased: bool = False


class RegressionHead(ManifestStruct, tag="regression", tag_field="kind", kw_only=True, frozen=True):
    """Keypoints as numbers: `output` [crops, keypoints * columns] or [crops, keypoints, columns].

    Axes of size 1 may be between these. `columns` are x and y, in this order or y first, and then a depth z or a
    confidence c. In the range `unit` 0 and 1 are the edges of the input, in `signed` -1 and 1; `pixels` are pixels of
    the input. Without c the confidence is 1.
    """

    output: OutputName
    columns: Literal["xy", "xyz", "xyc", "yxc"] = "xy"
    range: Literal["unit", "signed", "pixels"] = "unit"
