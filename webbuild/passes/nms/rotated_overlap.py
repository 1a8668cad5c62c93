"""Compares the overlaps of a rotated NMS with those of the runtime, by computing both on random boxes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_ir as ir

from webbuild.errors import WebbuildError
from webbuild.passes.nms.rotated_pattern import RotatedNmsPattern
from webbuild.passes.rewrite import producer_of
from webbuild.postprocess.reference_rotated_nms import Floats, pairwise_overlaps
from webbuild.runners.native import NativeRunner

_BOXES = 32
"""That are tried, where the graph takes any number of them."""

_TOLERANCE = 1e-3
"""Of an overlap, which is 0 to 1. The roots of a difference in the last digit are that far apart."""


def rotated_boxes(model: ir.Model, tail: RotatedNmsPattern) -> ir.Value | None:
    """Return the boxes [candidates, 5] in the order of the candidates whose probabilistic overlaps a tail computes.

    They are centre x y, width, height, angle; the centres of different classes may be moved apart. None if the tail
    computes anything else of them.
    """
    trilu = producer_of(tail.nms_node.inputs[0], "Trilu")
    overlaps = None if trilu is None else trilu.inputs[0]
    if len(tail.sorted_values) != 1 or overlaps is None:
        return None
    gather = tail.sorted_values[0]
    boxes = gather.outputs[0]
    if boxes.shape is None or boxes.shape[-1] != 5 or boxes.name is None or overlaps.name is None:
        return None
    tried = _random_boxes(tail.mask.max_candidates or _BOXES)
    try:
        graph = ir.convenience.extract(model.graph, [boxes], [overlaps])
        part = ir.Model(graph, ir_version=model.ir_version)
        native = NativeRunner(Path("overlaps"), ir.to_proto(part).SerializeToString())
        got = native.run({boxes.name: tried})[overlaps.name]
    except (ValueError, WebbuildError):  # something else is read than the boxes, or it takes none of these
        return None
    want = pairwise_overlaps(tried)
    same = got.shape == want.shape and np.allclose(np.triu(got, 1), np.triu(want, 1), rtol=0, atol=_TOLERANCE)
    return gather.inputs[0] if same else None


def _random_boxes(count: int) -> Floats:
    """Return boxes around a few places, so that there are overlaps of every size."""
    draw = np.random.default_rng(0)
    places = draw.uniform(0, 600, (8, 2))[draw.integers(0, 8, count)] + draw.normal(0, 12, (count, 2))
    sizes, angles = draw.uniform(10, 90, (count, 2)), draw.uniform(-np.pi, np.pi, (count, 1))
    return np.concatenate([places, sizes, angles], 1).astype(np.float32)
