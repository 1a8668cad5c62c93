"""The tensors of a prompt of clicks, a box and a previous mask."""

from __future__ import annotations

from typing import Literal

from webbuild.manifest.manifest_struct import ManifestStruct
from webbuild.manifest.numbers import Shape

PointPromptRole = Literal["points", "labels", "box", "mask", "has-mask"]


class PointPromptInput(ManifestStruct, tag="point-prompt", tag_field="kind", kw_only=True, frozen=True):
    """One tensor of a prompt of clicks, a box and a previous mask; the runtime fills it in.

    - `points` [1, points, 2] or [1, objects, points, 2]: x y each, in the coordinates of the `MaskGenerationTask`.
    - `labels` [1, points] or [1, objects, points]: 1 for a foreground click, 0 for a background click, 2 and 3 for the
      upper left and lower right corner of a box, -1 for a padding point of a prompt without a box. -10 is transformers'
      padding to a length: the point's embedding is 0, but attention includes it. Without this input all points are
      foreground clicks.
    - `box` [1, objects, 4] or [1, 4]: x1 y1 x2 y2. `shape` is [1, 0, 4] in a graph for prompts without a box, which
      then has no such input.
    - `mask` [1, 1, h, w]: the mask logits of a previous run over the frame, 0 if there is none.
    - `has-mask`: 1 if there is a previous mask, else 0.

    A graph that takes a click on each of several objects in a run has [objects, points, 2], [objects, points] and so
    on, if there is no separate axis of objects.

    The number of points is fixed by the graph, and includes the task's padding point: other padding changes the result.
    """

    name: str
    dtype: Literal["float32", "int64", "int32"]
    shape: Shape
    role: PointPromptRole
