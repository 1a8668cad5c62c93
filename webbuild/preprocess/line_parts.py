"""Parts of a line of text that is too wide to be read at once; see `LineSplit`."""

from __future__ import annotations

import math

import msgspec
from msgspec import UNSET

from webbuild.manifest.manifest import CropInput
from webbuild.preprocess.crop_box import CropBox, LinePart, distance, line_sides


def line_parts(crop_box: CropBox, spec: CropInput) -> list[CropBox]:
    """Return the parts of a line of text in reading order, or the line itself if it is not split."""
    first, second, last = line_sides(crop_box)
    wide, high = distance(first, second), distance(first, last)
    split = spec.split
    if split is UNSET or not wide > max(split.above, split.part) * high:
        return [crop_box]
    width = split.part * max(high, 1)
    step = width * (1 - split.overlap)
    begins = [at * step for at in range(math.floor((wide - width) / step) + 1)]
    if begins and begins[-1] + width < wide:
        begins.append(wide - width)
    return [
        _part(crop_box, begin, width / wide, 0.0 if at == 0 else (begins[at - 1] + width - begin) / width)
        for at, begin in enumerate(begins)
    ] or [crop_box]


def _part(crop_box: CropBox, begin: float, share: float, overlap: float) -> CropBox:
    (x0, y0), (xa, ya), (xd, yd) = line_sides(crop_box)
    wide = distance((x0, y0), (xa, ya))
    left, right = begin / wide, begin / wide + share
    a, b = ((x0 + (xa - x0) * at, y0 + (ya - y0) * at) for at in (left, right))
    down = xd - x0, yd - y0
    polygon = (a, b, (b[0] + down[0], b[1] + down[1]), (a[0] + down[0], a[1] + down[1]))
    return msgspec.structs.replace(crop_box, polygon=polygon, part=LinePart(crop_box, begin, overlap))
