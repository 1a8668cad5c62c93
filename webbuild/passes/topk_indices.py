"""Arithmetic on the indices of TopK without int64."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from webbuild.passes._base import Edit, Options, Pass
from webbuild.passes._graph import Builder, dims, nodes_of
from webbuild.passes._positions import Positions, UnknownReaderError

_LARGEST = 1 << 20
"""Elements along TopK's axis, up to which a float32 holds every index and what is computed from it exactly."""


class TopkIndices(Pass):
    """Computes in float32 what is computed from the indices of a TopK: which anchor, which class.

    An end-to-end head sorts all scores of all classes at once and finds anchor and class by dividing the index. WebGPU
    has no int64, so every such operator runs on the CPU, with copies around it. As float32 the same numbers are exact
    up to 16,777,216. Only where something is gathered by them do they become integers again.
    """

    code = "topk-indices"
    after = ("fixed-shape-head", "int32-indices", "zero-sized")
    target = "webgpu"

    def apply(self, model: ir.Model, options: Options) -> list[Edit]:
        """Rewrite behind each TopK whose indices are computed with."""
        edits = []
        for node in nodes_of(model, "TopK"):
            where, shape = f"TopK '{node.name}'", dims(node.inputs[0])
            positions = Positions(model.graph)
            try:
                if not positions.follow(node.outputs[1]):
                    continue
                size = None if shape is None else shape[node.attributes.get_int("axis", -1)]
                if size is None or size > _LARGEST:
                    raise UnknownReaderError(f"its axis is free or longer than {_LARGEST}")
            except UnknownReaderError as reason:
                edits.append(self.left(where, str(reason)))
                continue
            _rewrite(model, node, positions, size)
            edits.append(self.done(where, f"{len(positions.nodes)} operators on its indices are computed in float32"))
        return edits


def _rewrite(model: ir.Model, node: ir.Node, positions: Positions, size: int) -> None:
    """Look the indices up in a table of floats, which no cast from int64 could do on the GPU, and go on from there."""
    after = next(each for each in model.graph if each in positions.nodes)
    add = Builder(model.graph, after, f"{node.name or 'TopK'}/positions")
    positions.rewrite(node.outputs[1], add.op("Gather", add.const(np.arange(size)), node.outputs[1], axis=0))
