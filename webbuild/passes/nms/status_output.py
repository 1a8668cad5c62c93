"""The output `head_status` of NMS with static shapes, and its number of candidates."""

from __future__ import annotations

import json

import numpy as np
import onnx_ir as ir

from webbuild.passes.builder import Builder

HEAD_STATUS_KEY = "webbuild.head"
"""Metadata key: name of the status output, capacity and rounds, as JSON."""


def candidate_capacity(anchors: int, max_detections: int) -> int:
    """Return the number of candidates: a power of two, at least 256 and 1.5 times the output rows."""
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
    """Add the output `head_status` [2]: `converged` [1] as 0 or 1, and the number of true elements of `above` [n].

    If `complete` [1] is true, candidates beyond the best `size` cannot change the result. The number is then limited to
    `size`, so that the runtime does not repeat the run.
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


def status_node(model: ir.Model) -> ir.Node | None:
    """Return the Concat that computes the output `head_status`, None if there is none."""
    name = json.loads(model.metadata_props.get(HEAD_STATUS_KEY, "{}")).get("output")
    producer = next((value.producer() for value in model.graph.outputs if value.name == name), None)
    return producer if producer is not None and producer.op_type == "Concat" else None


def add_to_status(model: ir.Model, concat: ir.Node, unsettled: ir.Value) -> None:
    """Let `head_status` also report that an earlier NMS did not converge: `unsettled` [1, 1] is 1."""
    add = Builder(model.graph, concat, "head_status/first")
    settled = add.op("Sub", add.const([1.0]), add.reshape(unsettled, [1]))
    concat.replace_input_with(0, add.op("Min", concat.inputs[0], settled))


def top_kept_rows(add: Builder, keep: ir.Value, candidates: int, rows: int) -> tuple[ir.Value, ir.Value]:
    """Return the indices [rows] of the first candidates with `keep` [1, candidates] = 1, and a mask bool [rows, 1].

    The mask is false for rows after the last kept candidate.
    """
    # keep * (K, K - 1, ..., 1): distinct keys that sort kept candidates first and in order; 0 for the others
    falling = add.const(np.arange(candidates, 0, -1)[None])
    order = add.reshape(add.op("Mul", keep, falling), [candidates])
    rank, position = add.node("TopK", order, add.const([rows], np.int64), outputs=2, axis=0)
    real = add.op("Greater", rank, add.const([0.0]))
    return position, add.reshape(real, [rows, 1])
