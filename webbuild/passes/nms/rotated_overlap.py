"""Comparison of a rotated NMS's overlaps with the runtime's, by computing both on random boxes."""

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
"""Number of random boxes if the graph accepts any number."""

_TOLERANCE = 1e-3
"""Tolerance of an overlap in 0..1. A square root enlarges a difference in the last digit to this size."""


def rotated_boxes(model: ir.Model, tail: RotatedNmsPattern) -> ir.Value | None:
    """Return the boxes [candidates, 5] whose overlaps NMS computes, in the order of the candidates.

    They are centre x y, width, height, angle; the centres may have an offset for their class. None if NMS computes
    other overlaps than the runtime.
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
    except (ValueError, WebbuildError):  # the overlaps need other values than the boxes, or do not run on these boxes
        return None
    want = pairwise_overlaps(tried)
    same = got.shape == want.shape and np.allclose(np.triu(got, 1), np.triu(want, 1), rtol=0, atol=_TOLERANCE)
    return gather.inputs[0] if same else None


def _random_boxes(count: int) -> Floats:
    """Return random boxes around a few centres, so that there are overlaps of every size."""
    draw = np.random.default_rng(0)
    places = draw.uniform(0, 600, (8, 2))[draw.integers(0, 8, count)] + draw.normal(0, 12, (count, 2))
    sizes, angles = draw.uniform(10, 90, (count, 2)), draw.uniform(-np.pi, np.pi, (count, 1))
    return np.concatenate([places, sizes, angles], 1).astype(np.float32)
