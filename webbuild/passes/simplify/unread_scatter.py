from __future__ import annotations

import onnx_ir as ir
from onnx_ir.passes.common import RemoveUnusedNodesPass

from webbuild.passes.analysis.use_def import slice_bounds
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.rewrite import constant, find_nodes, replace_all_uses


class UnreadScatter(Pass):
    """Removes a ScatterND before a Slice that reads none of the rows that it writes, or nothing else.

        Slice<i : k>(ScatterND(data [N, C], indices = [[j]], updates))      ->  Slice<i : k>(data)    j < i or j >= k
        Slice<i : i + 1>(ScatterND(data [N, C], indices = [[i]], updates))  ->  updates [1, C]

    Why: Ultralytics exports NMS for a free batch with one NonMaxSuppression for each of at most N pictures, and returns
    the rows of the pictures that it was given. With a batch of 1 the others suppress zeros, on the CPU, and the GPU
    forms of NMS need a graph with a single one.

    Exact.
    """

    code = "unread-scatter"
    after = ("fold-constants",)

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        rewrites = []
        for node in find_nodes(model, "Slice"):
            bounds = slice_bounds(node)
            if bounds is None or bounds[2] != 0 or not 0 <= bounds[0] < bounds[1]:
                continue
            read = range(*bounds[:2])
            while (scatter := _scatter(node.inputs[0])) is not None and (rows := _rows(scatter)) is not None:
                if rows == list(read) and _row_count(scatter.inputs[0]) != 1:
                    updates = scatter.inputs[2]
                    assert updates is not None
                    replace_all_uses(node.outputs[0], updates)
                    rewrites.append(self.applied(scatter, "a Slice reads only what it writes"))
                    break
                if any(row in read for row in rows):
                    break
                node.replace_input_with(0, scatter.inputs[0])
                rewrites.append(self.applied(scatter, "a Slice reads none of what it writes"))
        if rewrites:
            RemoveUnusedNodesPass()(model)  # the passes of NMS count the NonMaxSuppressions
        return rewrites


def _row_count(data: ir.Value | None) -> int | None:
    """Return the size of the first axis. `redundant-scatter` removes the node if it is 1."""
    shape = None if data is None else data.shape
    return shape[0] if shape is not None and isinstance(shape[0], int) else None


def _scatter(value: ir.Value | None) -> ir.Node | None:
    node = None if value is None else value.producer()
    return node if node is not None and node.op_type == "ScatterND" else None


def _rows(scatter: ir.Node) -> list[int] | None:
    """Return the rows that a ScatterND replaces, None if they are computed, or parts of rows."""
    indices = constant(scatter.inputs[1])
    if indices is None or indices.ndim != 2 or indices.shape[1] != 1 or indices.min(initial=0) < 0:
        return None
    return indices[:, 0].tolist() if scatter.attributes.get_string("reduction", "none") == "none" else None
