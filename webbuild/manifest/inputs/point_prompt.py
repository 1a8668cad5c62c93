"""What becomes of clicks, a box and an earlier answer."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Shape

PointPromptRole = Literal["points", "labels", "box", "mask", "has-mask"]


class PointPromptInput(ManifestStruct, tag="point-prompt", tag_field="kind", kw_only=True, frozen=True):
    """A part of what becomes of clicks, a box and an earlier answer; the runtime fills it in.

    `points`: x y each, [1, points, 2] or [1, objects, points, 2], in the coordinates of the `MaskGenerationTask`.
    `labels`, [1, points] or [1, objects, points]: 1 for a click on the object, 0 beside it, 2 and 3 for the upper left
    and lower right corner of a box, -1 for a point of padding that stands for no box. -10 is transformers' padding to a
    length: the point's embedding is 0, which is still attended to. Without this input all points are on the object.
    `box`, [1, objects, 4] or [1, 4]: x1 y1 x2 y2. `shape` is [1, 0, 4] in a graph for prompts without a box, which
    then has no such input.
    `mask`, [1, 1, h, w]: the logits of an earlier answer over the frame, 0 where there is none.
    `has-mask`: 1 where there is one, else 0.

    A graph for a click on each of several objects in a run has [objects, points, 2], [objects, points] and so on where
    there is no axis of objects after the first.

    The number of points is that of the graph, the point of padding of the task included: what a prompt is padded with
    changes the answer.
    """

    name: str
    dtype: Literal["float32", "int64", "int32"]
    shape: Shape
    role: PointPromptRole
