"""What a fixed-shape head says of itself: its output `head_status`, and how much it can hold."""

from __future__ import annotations

import json

import numpy as np
import onnx_ir as ir

from webbuild.passes.rewrite import Builder

HEAD_STATUS_KEY = "webbuild.head"
"""Metadata key under which the head's status output, capacity and rounds are kept, as JSON."""


def candidate_capacity(anchors: int, max_detections: int) -> int:
    """Return how many candidates the head keeps: a power of two, at least 256 and half again the rows out."""
    wanted = max(256, max_detections + max_detections // 2)
    return min(anchors, 1 << (wanted - 1).bit_length())


def add_status_output(
    add: Builder,
    model: ir.Model,
    above: ir.Value,
    converged: ir.Value,
    size: int,
    rounds: int,
    complete: ir.Value | None = None,
) -> None:
    """Add the output `head_status` [2]: `converged` [1] as 0 or 1, and how many of `above` [n] are true.

    Where `complete` [1] is true the head has all that it gives, whatever there is below the best `size`: it says
    `size` then, if there are more.
    """
    # bool [n] -> float32 [1]
    count = add.reduce("ReduceSum", add.cast(above, ir.DataType.FLOAT), 0)
    if complete is not None:
        count = add.op("Where", complete, add.op("Min", count, add.const([float(size)])), count)
    status = add.op("Concat", converged, count, axis=0)
    status.name = "head_status"
    status.shape = ir.Shape([2])
    status.type = ir.TensorType(ir.DataType.FLOAT)
    model.graph.outputs.append(status)
    model.metadata_props[HEAD_STATUS_KEY] = json.dumps({"output": status.name, "capacity": size, "rounds": rounds})


def top_kept_rows(add: Builder, keep: ir.Value, candidates: int, rows: int) -> tuple[ir.Value, ir.Value]:
    """Return the places [rows] of the first candidates of which `keep` [1, candidates] is 1, and whether there is one.

    The second value is bool [rows, 1].
    """
    # keep * (K, K - 1, ..., 1): distinct keys, so that the kept come first and in order; 0 for the others
    falling = add.const(np.arange(candidates, 0, -1)[None])
    order = add.reshape(add.op("Mul", keep, falling), [candidates])
    rank, position = add.node("TopK", order, add.const([rows], np.int64), outputs=2, axis=0)
    real = add.op("Greater", rank, add.const([0.0]))
    return position, add.reshape(real, [rows, 1])
