"""The rows after NMS: gathered by the kept indices, joined by a Concat and padded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from webbuild.passes.analysis.use_def import UnknownNmsPatternError
from webbuild.passes.builder import Builder
from webbuild.passes.rewrite import constant, replace_all_uses


@dataclass
class GatheredRows:
    """The Concat [kept, columns] that joins the gathered values, and the Pads after it."""

    value: ir.Value
    columns: int
    pads: list[ir.Node]


def find_gathered_rows(model: ir.Model, gathers: list[ir.Node], where: str) -> GatheredRows:
    """Return the Concat that joins the outputs of all Gathers, and the Pads after it.

    Raises:
        UnknownNmsPatternError: there is none, or its output is no matrix with a fixed number of columns.
    """
    origins = {id(node.outputs[0]): {index} for index, node in enumerate(gathers)}
    joined: ir.Value | None = None
    pads: list[ir.Node] = []
    for node in model.graph:
        if node in gathers:
            continue
        reached = set().union(*(origins.get(id(value), set()) for value in node.inputs if value is not None))
        if not reached or node.op_type == "Shape":
            continue
        for output in node.outputs:
            origins[id(output)] = reached
        if node.op_type == "Concat" and joined is None and len(reached) == len(gathers):
            joined = node.outputs[0]
        if node.op_type == "Pad" and joined is not None and constant(node.inputs[1]) is None:
            pads.append(node)
    if joined is None:
        raise UnknownNmsPatternError(where, "the kept values are not joined into rows by a Concat")
    columns = joined.shape[-1] if joined.shape is not None and len(joined.shape) == 2 else None
    if not isinstance(columns, int):
        raise UnknownNmsPatternError(where, "the rows after it do not have a fixed number of columns")
    return GatheredRows(joined, columns, pads)


def zero_and_pad_rows(model: ir.Model, rows: GatheredRows, real: ir.Value, count: int, total_rows: int) -> None:
    """Zero the rows [count, columns] where `real` [count, 1] is false, and add zero rows up to `total_rows`.

    The original Pads are removed.
    """
    readers = [(use.node, use.idx) for use in rows.value.uses()]
    joiner = rows.value.producer()
    assert joiner is not None
    add = Builder(model.graph, joiner, "head/rows")
    # [count, columns] -> [wanted, columns]
    filled = add.op("Where", real, rows.value, add.const(0.0))
    if count < total_rows:
        filled = add.op("Concat", filled, add.const(np.zeros((total_rows - count, rows.columns))), axis=0)
    model.graph.sort()
    for node, position in readers:
        node.replace_input_with(position, filled)
    for pad in rows.pads:
        replace_all_uses(pad.outputs[0], pad.inputs[0])


def replace_gather_index(model: ir.Model, gathers: Iterable[ir.Node], index: ir.Value) -> None:
    """Let each node gather by `index` instead."""
    for old in gathers:
        add = Builder(model.graph, old, f"{old.name}/fixed")
        replace_all_uses(old.outputs[0], add.op("Gather", old.inputs[0], index, axis=0))
